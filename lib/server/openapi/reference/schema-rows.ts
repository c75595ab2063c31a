import type { JsonSchema } from "../convert-schema";

/** One field of a body, as a line of a table. */
export type SchemaRow = {
  /** Path from the body's root: `hits[].title`. */
  name: string;
  depth: number;
  /** In words: `string (uuid)`, `list of SearchHit or null`. */
  type: string;
  isRequired: boolean;
  description: string;
};

/** Fields below this depth, and beyond this number, are not listed: the document has them. */
const maxDepth = 5;
const maxRowCount = 150;
const maxEnumCount = 16;

export type Schemas = Readonly<Record<string, JsonSchema>>;
type Resolved = { schema: JsonSchema; name: string | undefined };

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;

/** What a reference points at, with its name. Words beside the reference come before those of what it points at. */
export function resolveSchema(schema: JsonSchema, schemas: Schemas): Resolved {
  const { $ref: reference, ...beside } = schema;
  if (typeof reference !== "string") return { schema, name: undefined };
  const name = reference.split("/").at(-1) as string;
  return { schema: { ...schemas[name], ...beside }, name };
}

function choicesOf({ anyOf, oneOf }: JsonSchema): JsonSchema[] {
  const choices = anyOf ?? oneOf;
  return Array.isArray(choices) ? choices.filter(isSchema) : [];
}

function plainType({ type, format, enum: values, const: value }: JsonSchema): string {
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(values)) {
    const shown = values.slice(0, maxEnumCount).map((one) => JSON.stringify(one));
    return [...shown, ...(values.length > maxEnumCount ? ["…"] : [])].join(" | ");
  }
  const name = Array.isArray(type) ? type.join(" or ") : String(type ?? "any value");
  return typeof format === "string" ? `${name} (${format})` : name;
}

/** A schema's type in words. */
export function typeOf(given: JsonSchema, schemas: Schemas): string {
  const { schema, name } = resolveSchema(given, schemas);
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.map((choice) => typeOf(choice, schemas)).join(" or ");
  if (schema.type === "array") return `list of ${isSchema(schema.items) ? typeOf(schema.items, schemas) : "any value"}`;
  if (schema.type === "object" || schema.properties) return name ?? "object";
  return plainType(schema);
}

/** Bounds and default of a value, in words; empty where there are none. */
export function boundsOf({ minimum, maximum, minLength, maxLength, default: standard }: JsonSchema): string {
  const parts = [
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `at least ${minimum}`,
    minLength !== undefined && Number(minLength) > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    standard !== undefined && `default ${JSON.stringify(standard)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** The object inside of lists and choices that has fields of its own, and how its name goes on. */
function fieldsOf(given: JsonSchema, schemas: Schemas): { object: Resolved; suffix: string } | undefined {
  const { schema, name } = resolveSchema(given, schemas);
  if (isSchema(schema.properties)) return { object: { schema, name }, suffix: "" };
  const inner = choicesOf(schema).find((choice) => fieldsOf(choice, schemas));
  if (inner) return fieldsOf(inner, schemas);
  const values = schema.type === "array" ? schema.items : schema.additionalProperties;
  const found = isSchema(values) ? fieldsOf(values, schemas) : undefined;
  return found && { ...found, suffix: `${schema.type === "array" ? "[]" : ".*"}${found.suffix}` };
}

function walk(given: JsonSchema, schemas: Schemas, prefix: string, above: readonly string[]): SchemaRow[] {
  const fields = fieldsOf(given, schemas);
  if (!fields || above.length >= maxDepth) return [];
  const { schema, name } = fields.object;
  // A schema within itself is named, not unfolded again.
  if (name !== undefined && above.includes(name)) return [];
  const start = prefix === "" && fields.suffix === "" ? "" : `${prefix}${fields.suffix}.`;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties as Record<string, JsonSchema>).flatMap(([key, value]) => {
    const row: SchemaRow = {
      name: `${start}${key}`,
      depth: above.length,
      type: typeOf(value, schemas),
      isRequired: required.includes(key),
      description: String(resolveSchema(value, schemas).schema.description ?? ""),
    };
    return [row, ...walk(value, schemas, row.name, [...above, name ?? key])];
  });
}

/** The fields of a body, those within them below; bounded in depth and number, and safe where a schema holds itself. */
export function schemaRows(schema: JsonSchema, schemas: Schemas): SchemaRow[] {
  return walk(schema, schemas, "", []).slice(0, maxRowCount);
}
