import { randomUUID } from "node:crypto";
import type { Endpoint, InputOf } from "#lib/contract/endpoint";
import { config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { admit } from "./admit";
import { commonHeaders } from "./common-headers";
import { type RequestContext, requestContext } from "./context";
import { errorReply } from "./error-reply";
import { parseInput } from "./parse-input";
import { isReply, jsonReply, type Reply, withETag } from "./reply";
import { pathOf, type RequestView } from "./request-view";

/** The code of an endpoint: returns a value, which is sent as JSON, or a Reply. */
export type Verb<E> = (context: RequestContext, input: InputOf<E>) => unknown;

/** Outside production, checks a JSON response against its declaration, so that leaked or missing fields fail tests. */
function checkResponse(endpoint: Endpoint, reply: Reply, value: unknown): void {
  if (config().NODE_ENV === "production") return;
  endpoint.responses[reply.status]?.body?.schema.parse(value);
}

/** Key-dependent responses are not stored in shared caches. Clients revalidate their copies, which ETags make cheap. */
function defaultCacheControl({ method, auth }: Endpoint): string {
  if (method !== "GET") return "no-store";
  return `${auth === "none" ? "public" : "private"}, max-age=0, must-revalidate`;
}

function toReply(endpoint: Endpoint, view: RequestView, value: unknown): Reply {
  const { cacheControl = defaultCacheControl(endpoint) } = endpoint;
  const result = isReply(value) ? value : jsonReply(value);
  if (result !== value) checkResponse(endpoint, result, value);
  const reply = { ...result, headers: { "Cache-Control": cacheControl, ...result.headers } };
  if (/no-cache|no-store/.test(cacheControl)) return reply;
  const [ifNoneMatch, ifModifiedSince] = [view.header("if-none-match"), view.header("if-modified-since")];
  return withETag(reply, { ifNoneMatch, ifModifiedSince });
}

/** Answers a request: checks key, limit, tier and input, and runs the verb. Errors become error replies. */
export async function dispatch<E extends Endpoint>(endpoint: E, verb: Verb<E>, view: RequestView): Promise<Reply> {
  const startedMs = performance.now();
  const requestId = randomUUID();
  let reply: Reply;
  let limitHeaders: Record<string, string> | undefined;
  try {
    const context = requestContext(view, requestId);
    if (endpoint.auth !== "none") {
      const { caller, headers, refusal } = await admit(endpoint, context, view.header("authorization"));
      limitHeaders = headers;
      if (refusal) throw refusal;
      context.caller = caller;
    }
    const input = (await parseInput(endpoint, view)) as InputOf<E>;
    reply = toReply(endpoint, view, await verb(context, input));
  } catch (error) {
    reply = errorReply(error, endpoint.errorShape ?? "tapedeck", requestId, log());
  }
  const ms = Math.round(performance.now() - startedMs);
  log().info({ requestId, method: view.method, path: pathOf(view.target), status: reply.status, ms }, "request");
  // A replay has the recorded request id, which the provider's clients read, under the same name.
  const { "x-request-id": recordedId = requestId, ...headers } = reply.headers;
  return { ...reply, headers: { ...headers, ...commonHeaders(endpoint, recordedId), ...limitHeaders } };
}
