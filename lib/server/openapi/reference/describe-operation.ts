import type { Endpoint } from "#lib/contract/endpoint";
import type { JsonSchema } from "../convert-schema";
import { curlLine } from "./curl-line";
import { type ErrorRow, errorRows } from "./error-rows";
import { boundsOf, resolveSchema, type SchemaRow, type Schemas, schemaRows, typeOf } from "./schema-rows";

export type ReferenceParameter = {
  name: string;
  place: "path" | "query" | "header";
  isRequired: boolean;
  type: string;
  bounds: string;
  description: string;
  /** The values that it can have; empty where they are not listed. */
  values: string[];
  /** A value that works; empty where nobody knows one. */
  example: string;
};

export type ReferenceBody = { mediaType: string; type: string; rows: SchemaRow[]; example: string };
export type ReferenceAnswer = {
  status: number;
  description: string;
  headers: { name: string; description: string }[];
  body: ReferenceBody | null;
};

/** One operation of the API, with all that the reference shows of it. */
export type ReferenceOperation = Pick<Endpoint, "id" | "method" | "path" | "summary" | "description" | "auth"> & {
  minimumTier: string | null;
  isLimited: boolean;
  parameters: ReferenceParameter[];
  body: ReferenceBody | null;
  answers: ReferenceAnswer[];
  errors: ErrorRow[];
  curl: string;
  /** Whether a page may send it for a reader without a key. */
  canBeTried: boolean;
  isStream: boolean;
};

type Media = { schema: JsonSchema; example?: unknown };
type Content = Record<string, Media>;
type Answer = { description: string; headers?: Record<string, { description?: string }>; content?: Content };
export type Operation = {
  parameters?: { name: string; in: string; required: boolean; description: string; schema: JsonSchema }[];
  requestBody?: { content: Content };
  responses: Record<string, Answer>;
};

/**
 * Values of parameters that a site has and the declarations cannot know, such as the slug of one of its cassettes, by
 * `<operation>.<parameter>`.
 */
export type KnownValues = Readonly<Record<string, string>>;

/** Longest example that is shown whole, in characters. */
const maxExampleLength = 6_000;
/** Their GET asks for more than a reader has: the scheduler's secret, and a session. */
const neverTried = new Set(["runCronJob", "streamMcpSession"]);

function exampleText(example: unknown): string {
  const text = typeof example === "string" ? example : JSON.stringify(example, null, 2);
  return text.length > maxExampleLength ? `${text.slice(0, maxExampleLength)}…` : text;
}

function bodyOf(content: Content | undefined, schemas: Schemas): ReferenceBody | null {
  const [mediaType, media] = Object.entries(content ?? {})[0] ?? [];
  if (mediaType === undefined || media === undefined) return null;
  const { schema, example } = media;
  const shown = example === undefined ? "" : exampleText(example);
  return { mediaType, type: typeOf(schema, schemas), rows: schemaRows(schema, schemas), example: shown };
}

function firstText(values: unknown): string {
  return Array.isArray(values) && values.length > 0 ? String(values[0]) : "";
}

type Shared = { schemas: Schemas; origin: string; known: KnownValues };

function parametersOf(id: string, { parameters = [] }: Operation, { schemas, known }: Shared): ReferenceParameter[] {
  return parameters.map(({ name, in: place, required, description, schema: given }) => {
    const { schema } = resolveSchema(given, schemas);
    const values = Array.isArray(schema.enum) ? schema.enum.map(String) : [];
    const constant = schema.const === undefined ? [] : [String(schema.const)];
    const example = known[`${id}.${name}`] ?? (firstText(schema.examples) || (required ? firstText(values) : ""));
    return {
      name,
      place: place as ReferenceParameter["place"],
      isRequired: required,
      type: typeOf(given, schemas),
      bounds: boundsOf(schema),
      description,
      values: [...values, ...constant],
      example,
    };
  });
}

function answersOf({ responses }: Operation, schemas: Schemas): ReferenceAnswer[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, { description, headers = {}, content }]) => ({
      status: Number(status),
      description,
      headers: Object.entries(headers).map(([name, header]) => ({ name, description: header.description ?? "" })),
      body: bodyOf(content, schemas),
    }));
}

/** What stands in a command for a value that the reader has: `$DELIVERY_ID`. */
function variableOf(name: string): string {
  return `$${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function curlOf(endpoint: Endpoint, parameters: ReferenceParameter[], origin: string, isStream: boolean): string {
  const { method, path, auth, minimumTier, bodyExample } = endpoint;
  const filling = ({ name, example }: ReferenceParameter) =>
    example === "" ? variableOf(name) : encodeURIComponent(example);
  const needed = parameters.filter(({ isRequired }) => isRequired);
  const filled = needed.reduce((text, parameter) => text.replace(`{${parameter.name}}`, filling(parameter)), path);
  const query = needed.filter(({ place }) => place === "query").map((one) => `${one.name}=${filling(one)}`);
  const url = `${origin}${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  return curlLine(
    { method, url, needsKey: auth === "required" || minimumTier !== undefined, body: bodyExample },
    isStream,
  );
}

/** An endpoint and its operation of the OpenAPI document as the reference shows them. */
export function describeOperation(endpoint: Endpoint, operation: Operation, shared: Shared): ReferenceOperation {
  const { id, method, path, summary, description, auth, minimumTier, limited = false } = endpoint;
  const { schemas, origin } = shared;
  const parameters = parametersOf(id, operation, shared);
  const answers = answersOf(operation, schemas);
  const isStream = answers.some(({ body }) => body?.mediaType === "text/event-stream");
  const isOpen = method === "GET" && auth !== "required" && minimumTier === undefined;
  return {
    ...{ id, method, path, summary, description, auth },
    minimumTier: minimumTier?.tier ?? null,
    isLimited: limited,
    parameters,
    body: bodyOf(operation.requestBody?.content, schemas),
    answers,
    errors: errorRows(operation.responses),
    curl: curlOf(endpoint, parameters, origin, isStream),
    canBeTried: isOpen && !neverTried.has(id),
    isStream,
  };
}
