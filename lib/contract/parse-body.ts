import * as z from "zod";
import { parseBoundedJson } from "#lib/platform/bounded-json";
import { unknownKeyMessage, validationMessage } from "#lib/platform/describe-issue";
import { AppError } from "#lib/platform/errors";

/**
 * Returns the schema of a JSON body of our own, or of an object in one. It refuses unknown fields, so that a typo is not taken
 * for a field that was left out. `error` is the message for what is not an object.
 */
export function bodySchema<Shape extends z.core.$ZodLooseShape>(fields: Shape, error?: string) {
  return z.strictObject(fields, { error: (issue) => unknownKeyMessage(issue, "field") ?? error });
}

/** Returns what a body must be: `a JSON object with "model" and "messages"`. */
function describeObject(schema: z.ZodType): string {
  const shape = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
  const required = Object.entries(shape).filter(([, field]) => !field.safeParse(undefined).success);
  const names = required.map(([name]) => `"${name}"`).join(", ");
  return names ? `a JSON object with ${names}` : "a JSON object";
}

/** Parses a request's JSON body. `contentType` is named if the body is not JSON. Throws AppError bad_request. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
  contentType: string | null,
): z.output<Schema> {
  if (bytes.byteLength === 0) throw new AppError("bad_request", `The body is empty. Send ${describeObject(schema)}.`);
  let json: unknown;
  try {
    json = parseBoundedJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const isJson = contentType === null || /\bjson\b/i.test(contentType);
    const found = isJson ? "" : ` Its Content-Type is ${contentType.slice(0, 100)}.`;
    throw new AppError("bad_request", `The body is not valid JSON in UTF-8.${found}`, { cause });
  }
  return checkBody(schema, json);
}

/** Checks a parsed body. Throws AppError bad_request. */
export function checkBody<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
  const result = schema.safeParse(json);
  if (!result.success) throw new AppError("bad_request", validationMessage(result.error, "Body field"));
  return result.data;
}
