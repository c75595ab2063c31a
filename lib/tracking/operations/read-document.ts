import { parse } from "yaml";
import { isNode, OpenApiError } from "./document";

/** Largest document, in characters. */
const maxLength = 8 * 1024 * 1024;
/** Most values in a document, with those that YAML's aliases repeat. */
const maxValueCount = 2_000_000;
const maxDepth = 200;

/** Objects whose keys are names that the vendor chose, so that none of them is an extension or an example. */
const namedFields = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "schemas",
  "headers",
  "parameters",
  "requestBodies",
  "securitySchemes",
  "scopes",
]);

/** Extensions that say when an operation ends. */
const keptExtensions = new Set(["x-sunset", "x-sunset-date"]);

function parseText(text: string): unknown {
  const isJson = /^\s*\{/.test(text);
  try {
    return isJson ? JSON.parse(text) : parse(text, { logLevel: "error", merge: true, uniqueKeys: false });
  } catch (error) {
    const [reason = ""] = error instanceof Error ? error.message.split("\n") : [];
    throw new OpenApiError(`the file is not ${isJson ? "JSON" : "YAML"}: ${reason}`.slice(0, 300));
  }
}

/** Returns a value with sorted keys, without examples and most extensions, which say nothing about the API's calls. */
function normalize(value: unknown, isNamed: boolean, state: { count: number }, depth: number): unknown {
  state.count += 1;
  if (state.count > maxValueCount) throw new OpenApiError(`the file has more than ${maxValueCount} values`);
  if (depth > maxDepth) throw new OpenApiError(`the file is nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) return value.map((each) => normalize(each, false, state, depth + 1));
  if (!isNode(value)) return value;
  const kept = Object.keys(value)
    .filter((key) => isNamed || keptExtensions.has(key) || !/^(?:x-|examples?$)/.test(key))
    .sort();
  // A null prototype, so that a key `__proto__` is one as any other.
  const normal: Record<string, unknown> = Object.create(null);
  for (const key of kept) {
    const child = value[key];
    // The keys of requirements are the names of security schemes.
    const isList = !isNamed && key === "security" && Array.isArray(child);
    normal[key] = isList
      ? child.map((each) => normalize(each, true, state, depth + 2))
      : normalize(child, !isNamed && namedFields.has(key), state, depth + 1);
  }
  return normal;
}

/**
 * Returns an OpenAPI 3 document, JSON or YAML, as indented JSON with sorted keys and without extensions and examples, so that
 * its text changes only if the API does. Throws OpenApiError.
 */
export function normalizeDocument(text: string): string {
  if (text.length > maxLength) throw new OpenApiError(`the file is larger than ${maxLength / 1024 / 1024} MiB`);
  const document = parseText(text.replace(/^\ufeff/, ""));
  if (!isNode(document) || !/^3\.\d/.test(String(document.openapi)))
    throw new OpenApiError("the file is not an OpenAPI 3 document");
  if (!isNode(document.paths) || Object.keys(document.paths).length === 0)
    throw new OpenApiError("the file has no paths");
  return `${JSON.stringify(normalize(document, false, { count: 0 }, 0), null, 1)}\n`;
}
