import type * as z from "zod";
import { maxManagedPerMinute } from "#lib/accounts/limits/index";
import {
  type Endpoint,
  type ErrorShape,
  type ErrorType,
  type HeaderDeclaration,
  pageBody,
  type ResponseDeclaration,
} from "#lib/contract/endpoint";
import { type ErrorCode, statusByCode } from "#lib/platform/errors";
import { requireProvider } from "#lib/replay/providers/index";
import type { JsonSchema, SchemaCollector } from "./convert-schema";

type Headers = Record<string, HeaderDeclaration>;

const requestIdHeader: Headers = {
  "X-Request-Id": {
    description: "Id of the request, which the log has too.",
    schema: { type: "string", format: "uuid" },
  },
};

const limitHeaders: Headers = {
  "X-RateLimit-Limit": {
    description: "Requests per day. The three headers are absent if the request is not limited.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Remaining": { description: "Requests left today.", schema: { type: "integer" } },
  "X-RateLimit-Reset": {
    description: "When the limit resets, in Unix seconds: the next midnight UTC.",
    schema: { type: "integer" },
  },
};

const headersByStatus: Record<number | string, Headers> = {
  401: { "WWW-Authenticate": { description: "`Bearer`.", schema: { type: "string" } } },
  429: { "Retry-After": { description: "Seconds until the limit resets.", schema: { type: "integer" } } },
};

/** The headers of a response that follow from the endpoint's declaration and the status. */
function responseHeaders({ limited }: Endpoint, status: number | "default"): Headers {
  return { ...requestIdHeader, ...(limited ? limitHeaders : {}), ...headersByStatus[status] };
}

/** The reason for each error code of one endpoint. */
type Errors = Partial<Record<ErrorCode, string>>;

function errorExample(shape: ErrorShape, code: ErrorCode, message: string): unknown {
  const status = statusByCode[code];
  return shape === "tapedeck"
    ? { error: message, code, status }
    : requireProvider(shape).errorBody({ status, message, requestId: "…" });
}

/** The errors that follow from an endpoint's declaration of keys, tiers and limits. */
function admissionErrors({ auth, minimumTier, limited, servedAtLimit, recognizesKey }: Endpoint): Errors[] {
  if (auth === "none" && !recognizesKey) return [];
  const usedUp = "Today's requests are used up. The limit resets at midnight UTC.";
  const atLimit = `Today's requests are used up, and the account has sent ${maxManagedPerMinute} such requests in this minute.`;
  const broken = "key is malformed, unknown, expired, revoked or rotated.";
  return [
    {
      unauthorized: auth === "required" ? `A key is missing, or the ${broken}` : `The ${broken}`,
      service_unavailable: "No database is configured.",
    },
    minimumTier ? { [minimumTier.code]: `The key's tier is lower than ${minimumTier.tier}.` } : {},
    limited ? { rate_limited: servedAtLimit ? atLimit : usedUp } : {},
    recognizesKey ? { rate_limited: "The key is invalid, and today's requests of the address are used up." } : {},
  ];
}

/** An error code and the reasons for it. */
type Reasons = [ErrorCode, readonly string[]];

function joinErrors(all: readonly Errors[]): Reasons[] {
  const joined = new Map<ErrorCode, string[]>();
  for (const errors of all) {
    for (const [code, text] of Object.entries(errors) as [ErrorCode, string][]) {
      joined.set(code, [...(joined.get(code) ?? []), text]);
    }
  }
  return [...joined];
}

function errorResponse(endpoint: Endpoint, status: number, errors: readonly Reasons[]): JsonSchema {
  const { errorShape: shape = "tapedeck", errorTypes = {} } = endpoint;
  const schema = { $ref: `#/components/schemas/${shape === "tapedeck" ? "Error" : "ProviderError"}` };
  const [[code, [message = ""]]] = errors as [Reasons];
  const types = new Set(errors.flatMap<ErrorType>(([name]) => errorTypes[name] ?? ["application/json"]));
  const media = {
    "application/json": { schema, example: errorExample(shape, code, message) },
    "text/html": { schema: { type: "string" }, example: pageBody.example },
  };
  return {
    description: errors
      .map(([name, texts]) => (errors.length === 1 ? "" : `\`${name}\`: `) + texts.join(" "))
      .join(" "),
    headers: responseHeaders(endpoint, status),
    content: Object.fromEntries([...types].map((type) => [type, media[type]])),
  };
}

/** The error of a path that cannot be decoded, which is found before its endpoint is called. */
function pathErrors({ path }: Endpoint): Errors {
  return path.includes("{") ? { bad_request: "The path is not percent-encoded UTF-8." } : {};
}

/** The response for all statuses that are not listed; its example is a 429. */
function otherErrorResponse(endpoint: Endpoint): Record<string, JsonSchema> {
  if (!endpoint.otherErrors) return {};
  const example = errorResponse(endpoint, statusByCode.rate_limited, [["rate_limited", [endpoint.otherErrors]]]);
  return { default: { ...example, headers: responseHeaders(endpoint, "default") } };
}

/** The error responses of an endpoint by status. If codes share a status, its description lists each. */
function errorResponses(endpoint: Endpoint): Record<string, JsonSchema> {
  const internal: Errors = { internal_error: "An error on the server." };
  const all = joinErrors([...admissionErrors(endpoint), endpoint.errors, pathErrors(endpoint), internal]);
  const statuses = [...new Set(all.map(([code]) => statusByCode[code]))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorResponse(
        endpoint,
        status,
        all.filter(([code]) => statusByCode[code] === status),
      ),
    ]),
  );
}

function parametersOf(
  place: "path" | "query",
  schema: z.ZodType | undefined,
  collector: SchemaCollector,
): JsonSchema[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = collector.convert(schema, "input") as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description: description ?? name,
    schema: rest,
  }));
}

function headerParameters(headers: Record<string, HeaderDeclaration> = {}): JsonSchema[] {
  return Object.entries(headers).map(([name, header]) => ({ name, in: "header", required: false, ...header }));
}

function responseOf(endpoint: Endpoint, status: number, collector: SchemaCollector): JsonSchema {
  const { description, headers = {}, body, otherBodies = [] } = endpoint.responses[status] as ResponseDeclaration;
  const media = [...(body ? [body] : []), ...otherBodies].map(({ type, schema, example }) => [
    type,
    { schema: collector.convert(schema, "output"), example },
  ]);
  return {
    description,
    headers: { ...responseHeaders(endpoint, status), ...headers },
    ...(media.length > 0 ? { content: Object.fromEntries(media) } : {}),
  };
}

function conditionalResponse(endpoint: Endpoint): Record<string, JsonSchema> {
  const { method, cacheControl = "" } = endpoint;
  if (method !== "GET" || /no-cache|no-store/.test(cacheControl)) return {};
  const description =
    "The client's copy is current, by `If-None-Match`, or by `If-Modified-Since` if the response has a `Last-Modified`.";
  return { 304: { description, headers: responseHeaders(endpoint, 304) } };
}

/** No key, a key, or either. An endpoint with a minimum tier always needs a key. */
function securityOf({ auth, minimumTier, recognizesKey }: Endpoint): JsonSchema[] {
  if (auth === "none" && !recognizesKey) return [];
  return auth === "required" || minimumTier ? [{ apiKey: [] }] : [{ apiKey: [] }, {}];
}

function requestBodyOf({ body, rawBodyByteSize, bodyExample }: Endpoint, collector: SchemaCollector): JsonSchema {
  if (!body && !rawBodyByteSize) return {};
  const schema = body ? collector.convert(body, "input") : { type: "object" };
  return { requestBody: { required: true, content: { "application/json": { schema, example: bodyExample } } } };
}

/** Returns an endpoint as an operation of the OpenAPI document. */
export function operationOf(endpoint: Endpoint, collector: SchemaCollector): JsonSchema {
  const { id, tag, summary, description, params, query, requestHeaders, responses } = endpoint;
  const parameters = [
    ...parametersOf("path", params, collector),
    ...parametersOf("query", query, collector),
    ...headerParameters(requestHeaders),
  ];
  const declared = Object.keys(responses).map((status) => [status, responseOf(endpoint, Number(status), collector)]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(endpoint),
    ...(parameters.length ? { parameters } : {}),
    ...requestBodyOf(endpoint, collector),
    responses: {
      ...Object.fromEntries(declared),
      ...conditionalResponse(endpoint),
      ...errorResponses(endpoint),
      ...otherErrorResponse(endpoint),
    },
  };
}
