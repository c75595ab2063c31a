import { z } from "zod";

export type JsonSchema = Record<string, unknown>;

/** Bounds of a safe integer, which zod writes beside each integer and which say nothing. */
const noise = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);

function tidy({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (noise.has(jsonSchema.maximum as number)) delete jsonSchema.maximum;
  if (noise.has(jsonSchema.minimum as number)) delete jsonSchema.minimum;
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
    for (const [name, definition] of Object.entries($defs)) this.#keep(name, definition);
    const hoisted = hoistReferences(converted);
    if (typeof hoisted.id !== "string") return hoisted;
    this.#keep(hoisted.id, hoisted);
    return { $ref: `#/components/schemas/${hoisted.id}` };
  }

  #keep(name: string, definition: JsonSchema): void {
    const { id: _id, ...rest } = hoistReferences(definition);
    this.components[name] = rest;
  }
}

/** zod points at `#/$defs/X`; the document keeps X under `#/components/schemas`. */
function hoistReferences<T>(value: T): T {
  const text = JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as T;
}
