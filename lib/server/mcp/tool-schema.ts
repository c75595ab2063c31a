import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { requirementOf } from "#lib/platform/describe-issue";

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

/** What the error of a wrong argument says, and models need not know before. */
const unlisted = ["pattern", "minLength", "maxLength", "minItems", "maxItems", "examples"];

/** Removes what no client needs, and the bounds of safe integers that zod adds. */
function simplify(jsonSchema: JsonSchema): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  for (const name of unlisted)
    if (typeof jsonSchema[name] !== "object" || Array.isArray(jsonSchema[name])) delete jsonSchema[name];
  if (isEmpty(jsonSchema.additionalProperties)) jsonSchema.additionalProperties = true;
  splitTypes(jsonSchema);
}

/** Simplifies a schema and all schemas in it, inner ones first. */
function simplifyAll(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) simplifyAll(inner);
  if (!Array.isArray(value)) simplify(value as JsonSchema);
}

/** Returns the types of a member of a result, without what is in it. */
function typeOf({ type, items }: JsonSchema): JsonSchema {
  if (type === "array") return { type, items: typeOf((items ?? {}) as JsonSchema) };
  return type === undefined ? {} : { type };
}

/**
 * Returns the JSON Schema that clients see. Of a result it has the members and their types: models read the result itself, and
 * a list of tools takes room in the context of each conversation.
 */
export function toolJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  simplifyAll(rest);
  if (io === "input") return rest;
  const members = Object.entries(rest.properties ?? {}).map(([name, member]) => [name, typeOf(member as JsonSchema)]);
  return { type: "object", properties: Object.fromEntries(members) };
}

type Validate = StandardSchemaWithJSON["~standard"]["validate"];

/** Accepts former names of arguments, and answers an unknown one with the names that there are. */
function validateArguments(schema: z.ZodType, formerNames: Readonly<Record<string, string>>): Validate {
  const known = Object.keys(toolJsonSchema(schema, "input").properties ?? {});
  const advice = known.length > 0 ? `the arguments are ${known.join(", ")}` : "it takes no arguments";
  return async (value) => {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    const named = isObject
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [formerNames[name] ?? name, each]))
      : value;
    const result = await schema["~standard"].validate(named);
    const issues = (result.issues as z.core.$ZodIssue[] | undefined)?.map((issue) => {
      const message = requirementOf(issue);
      const isUnknown = issue.code === "unrecognized_keys" && issue.path.length === 0;
      return { ...issue, message: isUnknown ? `${message} (${advice})` : message };
    });
    return issues ? { issues } : result;
  };
}

/** Returns a zod schema for the SDK with its JSON Schema computed once, instead of once per request. */
export function toolSchema(
  schema: z.ZodType,
  io: "input" | "output",
  formerNames: Readonly<Record<string, string>> = {},
): StandardSchemaWithJSON {
  const jsonSchema = toolJsonSchema(schema, io);
  const { version, vendor, validate } = schema["~standard"];
  return {
    "~standard": {
      version,
      vendor,
      validate: io === "input" ? validateArguments(schema, formerNames) : validate,
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    },
  } as StandardSchemaWithJSON;
}
