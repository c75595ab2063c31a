import * as z from "zod";

export type JsonSchema = Record<string, unknown>;

/** Bounds of safe integers, which zod adds to every integer. */
const safeIntegerBounds = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);

function tidy({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (safeIntegerBounds.has(jsonSchema.maximum as number)) delete jsonSchema.maximum;
  if (safeIntegerBounds.has(jsonSchema.minimum as number)) delete jsonSchema.minimum;
  if (jsonSchema.format === "date-time" || jsonSchema.format === "date") delete jsonSchema.pattern;
}

/** Collects the schemas that carry an `id` under `components.schemas` while endpoints are converted. */
export class SchemaCollector {
  readonly components: Record<string, JsonSchema> = {};

  convert(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const {
      $schema: _dialect,
      $defs = {},
      ...converted
    } = z.toJSONSchema(schema, { io, override: tidy, unrepresentable: "any" }) as JsonSchema & {
      $defs?: Record<string, JsonSchema>;
    };
    for (const [name, definition] of Object.entries($defs)) this.#add(name, definition);
    const hoisted = hoistReferences(converted);
    if (typeof hoisted.id !== "string") return hoisted;
    this.#add(hoisted.id, hoisted);
    return { $ref: `#/components/schemas/${hoisted.id}` };
  }

  #add(name: string, definition: JsonSchema): void {
    const { id: _id, ...rest } = hoistReferences(definition);
    this.components[name] = rest;
  }
}

/** Points references at `#/components/schemas/X`, where zod has `#/$defs/X`. */
function hoistReferences<T>(value: T): T {
  const text = JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as T;
}
