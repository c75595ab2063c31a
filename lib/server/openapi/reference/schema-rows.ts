import type { JsonSchema } from "../convert-schema";

/** A field of a body, as a table row. */
export type SchemaRow = {
  /** Path from the root of the body: `hits[].title`. */
  name: string;
  depth: number;
  /** Readable type: `string (uuid)`, `list of SearchHit or null`. */
  type: string;
  isRequired: boolean;
  description: string;
};

/** Deeper fields, and fields beyond the maximum number of rows, are left to the OpenAPI document. */
const maxDepth = 5;
const maxRowCount = 150;
const maxEnumCount = 16;

export type Schemas = Readonly<Record<string, JsonSchema>>;
type Resolved = { schema: JsonSchema; name: string | undefined };

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;

/** Returns the schema that a reference points at, with its name. Keywords beside the reference take precedence. */
export function resolveSchema(schema: JsonSchema, schemas: Schemas): Resolved {
  const { $ref: reference, ...siblings } = schema;
  if (typeof reference !== "string") return { schema, name: undefined };
  const name = reference.split("/").at(-1) as string;
  return { schema: { ...schemas[name], ...siblings }, name };
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

/** Returns the type of a schema as readable text. */
export function typeOf(given: JsonSchema, schemas: Schemas): string {
  const { schema, name } = resolveSchema(given, schemas);
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.map((choice) => typeOf(choice, schemas)).join(" or ");
  if (schema.type === "array") return `list of ${isSchema(schema.items) ? typeOf(schema.items, schemas) : "any value"}`;
  if (schema.type === "object" || schema.properties) return name ?? "object";
  return plainType(schema);
}

/** Returns the bounds and the default of a value as readable text; empty without any. */
export function boundsOf({ minimum, maximum, minLength, maxLength, default: defaultValue }: JsonSchema): string {
  const parts = [
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `at least ${minimum}`,
    minLength !== undefined && Number(minLength) > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    defaultValue !== undefined && `default ${JSON.stringify(defaultValue)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** Returns the object with fields within lists and choices, and the suffix of its path: `[]`, `.*`. */
function fieldsOf(given: JsonSchema, schemas: Schemas): { object: Resolved; suffix: string } | undefined {
  const { schema, name } = resolveSchema(given, schemas);
  if (isSchema(schema.properties)) return { object: { schema, name }, suffix: "" };
  const inner = choicesOf(schema).find((choice) => fieldsOf(choice, schemas));
  if (inner) return fieldsOf(inner, schemas);
  const values = schema.type === "array" ? schema.items : schema.additionalProperties;
  const found = isSchema(values) ? fieldsOf(values, schemas) : undefined;
  return found && { ...found, suffix: `${schema.type === "array" ? "[]" : ".*"}${found.suffix}` };
}

function walk(given: JsonSchema, schemas: Schemas, prefix: string, ancestors: readonly string[]): SchemaRow[] {
  const fields = fieldsOf(given, schemas);
  if (!fields || ancestors.length >= maxDepth) return [];
  const { schema, name } = fields.object;
  // A recursive schema is named, not expanded again.
  if (name !== undefined && ancestors.includes(name)) return [];
  const start = prefix === "" && fields.suffix === "" ? "" : `${prefix}${fields.suffix}.`;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties as Record<string, JsonSchema>).flatMap(([key, value]) => {
    const row: SchemaRow = {
      name: `${start}${key}`,
      depth: ancestors.length,
      type: typeOf(value, schemas),
      isRequired: required.includes(key),
      description: String(resolveSchema(value, schemas).schema.description ?? ""),
    };
    return [row, ...walk(value, schemas, row.name, [...ancestors, name ?? key])];
  });
}

/** Returns the fields of a body depth-first, bounded in depth and number. Recursive schemas are not expanded. */
export function schemaRows(schema: JsonSchema, schemas: Schemas): SchemaRow[] {
  return walk(schema, schemas, "", []).slice(0, maxRowCount);
}
