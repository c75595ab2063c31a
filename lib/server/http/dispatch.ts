import { randomUUID } from "node:crypto";
import type { Caller } from "#lib/accounts/plans/index";
import type { Endpoint, InputOf } from "#lib/contract/endpoint";
import { config } from "#lib/platform/config";
import { findDifferences } from "#lib/platform/json-difference";
import { log } from "#lib/platform/log";
import { observer } from "#lib/platform/observer";
import { type RequestContext, requestContext } from "./context";
import { parseInput } from "./parse-input";
import {
  commonHeaders,
  type ErrorFormat,
  errorReply,
  isReply,
  jsonReply,
  type Reply,
  tapedeckErrors,
  withETag,
} from "./reply";
import { pathOf, type RequestView } from "./request";

/** The code of an endpoint: returns a value, which is sent as JSON, or a Reply. */
export type Verb<E, Context = RequestContext> = (context: Context, input: InputOf<E>) => unknown;

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
  const result = isReply(value) ? value : jsonReply(value);
  if (result !== value) checkResponse(endpoint, result, value);
  const reply = { ...result, headers: { "Cache-Control": cacheControl, ...result.headers } };
  if (/no-cache|no-store/.test(cacheControl)) return reply;
  const [ifNoneMatch, ifModifiedSince] = [view.header("if-none-match"), view.header("if-modified-since")];
  return withETag(reply, { ifNoneMatch, ifModifiedSince });
}

/** Answers a request: checks key, limit, tier and input, and runs the verb. Errors become error replies. */
export async function dispatch<E extends Endpoint>(
  endpoint: E,
  verb: Verb<E>,
  view: RequestView,
  errors: ErrorFormat = tapedeckErrors,
): Promise<Reply> {
  const startedMs = performance.now();
  const requestId = randomUUID();
  let reply: Reply;
  let limitHeaders: Record<string, string> | undefined;
  try {
    const context = requestContext(view, requestId);
    const authorization = view.header("authorization");
    if (endpoint.auth !== "none" || (endpoint.recognizesKey && authorization !== null)) {
      // Only requests that are authenticated need keys, limits and the database.
      const { admit } = await import("./admit");
      const { caller, headers, refusal } = await admit(endpoint, context, authorization);
      limitHeaders = headers;
      if (refusal) throw refusal;
      context.caller = caller;
    }
    const input = (await parseInput(endpoint, view, errors.notFound)) as InputOf<E>;
    const value = await verb(context, input);
    reply = toReply(endpoint, view, context.caller, value);
  } catch (error) {
    reply = errorReply(error, errors, requestId, log());
  }
  const durationMs = performance.now() - startedMs;
  observer()?.answered(endpoint.id, view.method, reply.status, durationMs);
  log().info(
    { requestId, method: view.method, path: pathOf(view.target), status: reply.status, ms: Math.round(durationMs) },
    "request",
  );
  // A replayed response may carry its recorded X-Request-Id; it replaces ours.
  const { "x-request-id": recordedId = requestId, ...headers } = reply.headers;
  return { ...reply, headers: { ...headers, ...commonHeaders(endpoint, recordedId), ...limitHeaders } };
}
