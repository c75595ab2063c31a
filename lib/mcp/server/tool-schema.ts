import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";

type JsonSchema = Record<string, unknown>;

/** What zod adds and no client needs: the bounds of safe integers, and patterns beside a format. */
function slim(jsonSchema: JsonSchema): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
}

/** The JSON Schema that clients see. */
export function toolJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => slim(jsonSchema as JsonSchema),
  });
  return rest;
}

/** A zod schema for the SDK, whose JSON Schema is made once: it would be made anew for every request. */
export function toolSchema(schema: z.ZodType, io: "input" | "output"): StandardSchemaWithJSON {
  const jsonSchema = toolJsonSchema(schema, io);
  const { version, vendor, validate } = schema["~standard"];
  return {
    "~standard": { version, vendor, validate, jsonSchema: { input: () => jsonSchema, output: () => jsonSchema } },
  } as StandardSchemaWithJSON;
}
