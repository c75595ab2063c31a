import { randomUUID } from "node:crypto";
import type * as z from "zod";
import type { Caller } from "#lib/accounts/plans/index";
import type { Endpoint, InputOf, ResponseDeclaration } from "#lib/contract/endpoint";
import { parseBody } from "#lib/contract/parse-body";
import { config } from "#lib/platform/config";
import { validationMessage } from "#lib/platform/describe-issue";
import { AppError } from "#lib/platform/errors";
import { findDifferences } from "#lib/platform/json-difference";
import { log } from "#lib/platform/log";
import { isDisconnect } from "#lib/platform/log-failure";
import { observer } from "#lib/platform/observer";
import { takeLargeBody } from "./client-bounds";
import { type RequestContext, requestContext } from "./context";
import {
  commonHeaders,
  type ErrorFormat,
  errorReply,
  isReply,
  jsonReply,
  type Reply,
  tapedeckErrors,
  textReply,
  withETag,
} from "./reply";
import { pathOf, queryOf, type RequestView } from "./request";

/** Maximum size of a request body outside MCP, in bytes. */
export const maxBodyByteSize = 64 * 1024;

function parseParams(endpoint: Endpoint, view: RequestView): unknown {
  if (!endpoint.params) return undefined;
  const result = endpoint.params.safeParse(view.params);
  if (result.success) return result.data;
  const { paramsErrorCode = "not_found" } = endpoint;
  throw new AppError(paramsErrorCode, validationMessage(result.error, "Path parameter"));
}

function knownKeys(schema: z.ZodType): string[] {
  return Object.keys((schema as z.ZodObject).shape ?? {});
}

function parseQuery(endpoint: Endpoint, view: RequestView): unknown {
  if (!endpoint.query) return undefined;
  const given = queryOf(view.target);
  const values: Record<string, string> = {};
  for (const key of knownKeys(endpoint.query)) {
    const [value, ...more] = given.getAll(key);
    if (more.length > 0) throw new AppError("bad_request", `Query parameter "${key}" must be sent only once.`);
    const isIgnored = value === "" && endpoint.ignoresEmptyQuery;
    if (value !== undefined && !isIgnored) values[key] = value;
  }
  const result = endpoint.query.safeParse(values);
  if (!result.success) throw new AppError("bad_request", validationMessage(result.error, "Query parameter"));
  return result.data;
}

function sizeText(byteSize: number): string {
  return byteSize >= 1024 * 1024 ? `${byteSize / 1024 / 1024} MiB` : `${byteSize / 1024} KiB`;
}

async function readBody(endpoint: Endpoint, view: RequestView): Promise<Uint8Array> {
  if (!endpoint.body && !endpoint.rawBodyByteSize) return new Uint8Array();
  const limit = endpoint.rawBodyByteSize ?? maxBodyByteSize;
  const encoding = view.header("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new AppError("bad_request", `The body is compressed (Content-Encoding: ${encoding}). Send it uncompressed.`);
  }
  const bytes = await view.readBody(limit).catch((cause) => {
    if (!isDisconnect(cause)) throw cause;
    throw new AppError("bad_request", "The connection was closed before the end of the body.", { cause });
  });
  if (bytes === null)
    throw new AppError("payload_too_large", `The body is larger than the maximum of ${sizeText(limit)}.`);
  return bytes;
}

/** Parses a request by its endpoint's declaration. Throws AppError. */
async function parseInput(endpoint: Endpoint, view: RequestView) {
  const params = parseParams(endpoint, view);
  const query = parseQuery(endpoint, view);
  const rawBody = await readBody(endpoint, view);
  const { body: schema, rawBodyByteSize } = endpoint;
  const isParsed = schema !== undefined && rawBodyByteSize === undefined;
  const body = isParsed ? parseBody(schema, rawBody, view.header("content-type")) : undefined;
  return { params, query, body, rawBody, header: view.header, headers: view.headers, signal: view.signal };
}

/** The code of an endpoint: returns a Reply, or a value for the lowest declared status: a text as it is, others as JSON. */
export type Verb<E, Context = RequestContext> = (context: Context, input: InputOf<E>) => unknown;

function valueReply({ responses }: Endpoint, value: unknown): Reply {
  const [[status, { body }]] = Object.entries(responses) as [[string, ResponseDeclaration]];
  const type = body?.type ?? "application/json";
  if (typeof value === "string") return { ...textReply(value, `${type}; charset=utf-8`), status: Number(status) };
  return jsonReply(value, Number(status), type === "application/json" ? {} : { "Content-Type": type });
}

const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/**
 * Outside production, throws if a JSON response does not fit its declaration. A field that the declaration lacks counts
 * too: the schema leaves it out, but the response would not.
 */
function checkResponse(endpoint: Endpoint, reply: Reply, value: unknown): void {
  if (config().NODE_ENV === "production") return;
  const schema = endpoint.responses[reply.status]?.body?.schema;
  const [difference] = schema ? findDifferences(asSent(schema.parse(value)), asSent(value)) : [];
  if (difference) throw new Error(`${endpoint.id} does not declare ${difference.pointer} of its response`);
}

/** Key-dependent responses are not stored in shared caches. Clients revalidate their copies, which ETags make cheap. */
function defaultCacheControl({ method, auth }: Endpoint, { keyId }: Caller): string {
  if (method !== "GET") return "no-store";
  return `${auth === "none" && keyId === null ? "public" : "private"}, max-age=0, must-revalidate`;
}

function toReply(endpoint: Endpoint, view: RequestView, caller: Caller, value: unknown): Reply {
  const { cacheControl = defaultCacheControl(endpoint, caller) } = endpoint;
  const result = isReply(value) ? value : valueReply(endpoint, value);
  if (result !== value) checkResponse(endpoint, result, value);
  const reply = { ...result, headers: { "Cache-Control": cacheControl, ...result.headers } };
  if (/no-cache|no-store/.test(cacheControl)) return reply;
  const [ifNoneMatch, ifModifiedSince] = [view.header("if-none-match"), view.header("if-modified-since")];
  return withETag(reply, { ifNoneMatch, ifModifiedSince });
}

/**
 * Whether a header has a key of ours, be it broken: to an endpoint that everybody may read, nothing else is one. Browsers send
 * the password of a proxy in front of this server with every request.
 */
const presentsKey = (authorization: string | null) => authorization?.includes("ltf_") === true;

/**
 * Answers a request: checks key, limit, tier and input, and runs the verb. Errors become error replies in the format that
 * `errors` returns; most requests never need it.
 */
export async function dispatch<E extends Endpoint>(
  endpoint: E,
  verb: Verb<E>,
  view: RequestView,
  errors: () => ErrorFormat = () => tapedeckErrors,
): Promise<Reply> {
  const startedMs = performance.now();
  const requestId = randomUUID();
  let reply: Reply;
  let limitHeaders: Record<string, string> | undefined;
  let freeBody: (() => void) | undefined;
  try {
    const context = requestContext(view, requestId);
    const authorization = view.header("authorization");
    if (endpoint.auth !== "none" || (endpoint.recognizesKey && presentsKey(authorization))) {
      // Only requests that are authenticated need keys, limits and the database.
      const { admit } = await import("./admit");
      const { caller, headers, refusal } = await admit(endpoint, context, authorization);
      limitHeaders = headers;
      if (refusal) throw refusal;
      context.caller = caller;
    }
    freeBody = takeLargeBody(endpoint, view.header("content-length"), context.clientAddress);
    const input = (await parseInput(endpoint, view)) as InputOf<E>;
    const value = await verb(context, input);
    reply = toReply(endpoint, view, context.caller, value);
  } catch (error) {
    reply = errorReply(error, errors(), requestId, log());
  } finally {
    freeBody?.();
  }
  const durationMs = performance.now() - startedMs;
  observer()?.answered(endpoint.id, view.method, reply.status, durationMs);
  log().info(
    { requestId, method: view.method, path: pathOf(view.target), status: reply.status, ms: Math.round(durationMs) },
    "request",
  );
  // A replayed response may carry its recorded X-Request-Id; it replaces ours.
  const { "x-request-id": recordedId = requestId, ...headers } = reply.headers;
  const common = commonHeaders(endpoint, recordedId);
  const vary = common.Vary && headers.Vary && { Vary: `${common.Vary}, ${headers.Vary}` };
  return { ...reply, headers: { ...headers, ...common, ...vary, ...limitHeaders } };
}
