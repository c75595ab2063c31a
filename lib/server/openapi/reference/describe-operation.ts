import type { Endpoint } from "#lib/contract/endpoint";
import { textWithOrigin } from "#lib/contract/example-origin";
import type { JsonSchema } from "../convert-schema";
import { boundsOf, resolveSchema, type SchemaRow, type Schemas, schemaRows, typeOf } from "./schema-rows";

export type ReferenceParameter = {
  name: string;
  place: "path" | "query" | "header";
  isRequired: boolean;
  type: string;
  bounds: string;
  description: string;
  /** Allowed values; empty if the schema lists none. */
  values: string[];
  /** A valid value; empty if none is known. */
  example: string;
};

export type ReferenceBody = { mediaType: string; type: string; rows: SchemaRow[]; example: string };
export type ReferenceResponse = {
  status: number;
  description: string;
  headers: { name: string; description: string }[];
  body: ReferenceBody | null;
};

/** An error of an operation. `code` is null if its body has none: in the provider's format, or a page. */
type ErrorRow = { status: string; code: string | null; text: string };

/** An operation of the API as the reference shows it. */
export type ReferenceOperation = Pick<Endpoint, "id" | "method" | "path" | "summary" | "description" | "auth"> & {
  minimumTier: string | null;
  isLimited: boolean;
  /** Whether it is answered at the daily limit too. */
  isServedAtLimit: boolean;
  parameters: ReferenceParameter[];
  body: ReferenceBody | null;
  responses: ReferenceResponse[];
  errors: ErrorRow[];
  curl: string;
  /** Whether the page can send it without a key. */
  canBeTried: boolean;
  isStream: boolean;
};

type Media = { schema: JsonSchema; example?: unknown };
type Content = Record<string, Media>;
type OpenApiResponse = { description: string; headers?: Record<string, { description?: string }>; content?: Content };
export type Operation = {
  parameters?: { name: string; in: string; required: boolean; description: string; schema: JsonSchema }[];
  requestBody?: { content: Content };
  responses: Record<string, OpenApiResponse>;
};

/**
 * Values of parameters that only the running site knows, such as the slug of one of its cassettes, by
 * `<operation>.<parameter>`.
 */
export type KnownValues = Readonly<Record<string, string>>;

/** Maximum length of an example, in characters; longer ones are cut. */
const maxExampleLength = 6_000;
/** GET operations that need a secret or a session, which readers of the page do not have. */
const excludedFromTryIt = new Set(["runCronJob", "streamMcpSession"]);

function exampleText(example: unknown, origin: string): string {
  const text = textWithOrigin(typeof example === "string" ? example : JSON.stringify(example, null, 2), origin);
  return text.length > maxExampleLength ? `${text.slice(0, maxExampleLength)}…` : text;
}

function bodyOf(content: Content | undefined, { schemas, origin }: Shared): ReferenceBody | null {
  const [mediaType, media] = Object.entries(content ?? {})[0] ?? [];
  if (mediaType === undefined || media === undefined) return null;
  const { schema, example } = media;
  const shown = example === undefined ? "" : exampleText(example, origin);
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

function responsesOf({ responses }: Operation, shared: Shared): ReferenceResponse[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, { description, headers = {}, content }]) => ({
      status: Number(status),
      description,
      headers: Object.entries(headers).map(([name, header]) => ({ name, description: header.description ?? "" })),
      body: bodyOf(content, shared),
    }));
}

/** Returns the variable for a value that the reader has to fill in: `$DELIVERY_ID`. */
function variableOf(name: string): string {
  return `$${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Returns a call as a curl command, with one option per line. Streams are shown as they arrive (`-N`). */
function curlOf(endpoint: Endpoint, parameters: ReferenceParameter[], origin: string, isStream: boolean): string {
  const { method, path, auth, minimumTier, bodyExample } = endpoint;
  const sampleValue = ({ name, example }: ReferenceParameter) =>
    example === "" ? variableOf(name) : encodeURIComponent(example);
  const needed = parameters.filter(({ isRequired }) => isRequired);
  const filled = needed.reduce((text, parameter) => text.replace(`{${parameter.name}}`, sampleValue(parameter)), path);
  const query = needed
    .filter(({ place }) => place === "query")
    .map((parameter) => `${parameter.name}=${sampleValue(parameter)}`);
  const url = `${origin}${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  const needsKey = auth === "required" || minimumTier !== undefined;
  const options = [
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(bodyExample === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(bodyExample))}`]),
  ];
  const verb = method === "GET" || (method === "POST" && bodyExample !== undefined) ? "" : `-X ${method} `;
  return [`curl ${isStream ? "-N " : ""}${verb}${quoteUrl(url)}`, ...options].join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quoteUrl(url: string): string {
  if (url.includes("$")) return `"${url}"`;
  return /[?&]/.test(url) ? quote(url) : url;
}

type ErrorResponse = { description: string; content?: Record<string, { example?: { code?: unknown } }> };

/** If codes share a status, the description has each code before its text. */
const codePattern = /`([a-z_]+)`: (.*?)(?= `[a-z_]+`: |$)/gs;

function rowsOf(status: string, { description, content = {} }: ErrorResponse): ErrorRow[] {
  const { code } = Object.values(content)[0]?.example ?? {};
  const starts = description.startsWith("`") ? [...description.matchAll(codePattern)] : [];
  if (starts.length > 1) return starts.map(([, name = "", text = ""]) => ({ status, code: name, text }));
  return [{ status, code: typeof code === "string" ? code : null, text: description }];
}

/** Returns the errors of an operation by status, each with its code. */
function errorRows(responses: Readonly<Record<string, JsonSchema>>): ErrorRow[] {
  return Object.entries(responses)
    .filter(([status]) => status === "default" || Number(status) >= 400)
    .flatMap(([status, response]) => rowsOf(status === "default" ? "other" : status, response as ErrorResponse));
}

/** Returns an endpoint and its OpenAPI operation as the reference shows them. */
export function describeOperation(endpoint: Endpoint, operation: Operation, shared: Shared): ReferenceOperation {
  const {
    id,
    method,
    path,
    summary,
    description,
    auth,
    minimumTier,
    limited = false,
    servedAtLimit = false,
  } = endpoint;
  const parameters = parametersOf(id, operation, shared);
  const responses = responsesOf(operation, shared);
  const isStream = responses.some(({ body }) => body?.mediaType === "text/event-stream");
  const isOpen = method === "GET" && auth !== "required" && minimumTier === undefined;
  return {
    id,
    method,
    path,
    summary,
    description,
    auth,
    minimumTier: minimumTier?.tier ?? null,
    isLimited: limited,
    isServedAtLimit: servedAtLimit,
    parameters,
    body: bodyOf(operation.requestBody?.content, shared),
    responses,
    errors: errorRows(operation.responses),
    curl: curlOf(endpoint, parameters, shared.origin, isStream),
    canBeTried: isOpen && !excludedFromTryIt.has(id),
    isStream,
  };
}
