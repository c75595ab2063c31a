import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";

type JsonSchema = Record<string, unknown>;

/** Replaces a list of types with `anyOf`: some clients translate schemas into dialects without lists of types. */
function splitTypes(jsonSchema: JsonSchema): void {
  const { type: types, description, ...rest } = jsonSchema;
  if (!Array.isArray(types)) return;
  for (const key of Object.keys(rest)) delete jsonSchema[key];
  delete jsonSchema.type;
  jsonSchema.anyOf = types.map((type) => (type === "null" ? { type } : { ...rest, type }));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Removes what zod adds and no client needs: bounds of safe integers, patterns beside a format. */
function simplify(jsonSchema: JsonSchema): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (isEmpty(jsonSchema.additionalProperties)) jsonSchema.additionalProperties = true;
  splitTypes(jsonSchema);
}

/** Simplifies a schema and all schemas in it, inner ones first. */
function simplifyAll(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) simplifyAll(inner);
  if (!Array.isArray(value)) simplify(value as JsonSchema);
}

/** Returns the JSON Schema that clients see. */
export function toolJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  simplifyAll(rest);
  return rest;
}

/** Returns a zod schema for the SDK with its JSON Schema computed once, instead of once per request. */
export function toolSchema(schema: z.ZodType, io: "input" | "output"): StandardSchemaWithJSON {
  const jsonSchema = toolJsonSchema(schema, io);
  const { version, vendor, validate } = schema["~standard"];
  return {
    "~standard": { version, vendor, validate, jsonSchema: { input: () => jsonSchema, output: () => jsonSchema } },
  } as StandardSchemaWithJSON;
}
