import type { InputOf } from "#lib/contract/endpoint";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { countCall, limitError, limitHeaders } from "#lib/server/http/admit";
import { emptyReply, jsonReply, type Reply, streamReply } from "#lib/server/http/reply";
import { trustsProxy } from "#lib/server/http/request";
import type { ProductContext } from "#lib/server/products";
import { isAllowedOrigin } from "./allowed-origin";
import type {
  callMcpEndpoint,
  callMcpSessionEndpoint,
  deleteMcpSessionEndpoint,
  getMcpIdentityEndpoint,
  streamMcpSessionEndpoint,
} from "./endpoints";
import { type ClientMessage, readMessage } from "./messages";
import { answerSessionPost, deleteSession, streamSession } from "./session-endpoint";
import { answerStateless, mcpIdentity } from "./stateless-endpoint";

type GivenHeaders = { header: (name: string) => string | null };

/** Throws AppError forbidden for a request that a web page sent to an unpublished server. */
function requireOrigin({ siteUrls }: ProductContext, { header }: GivenHeaders): void {
  const settings = config();
  const published = [...Object.values(siteUrls), ...(settings.BASE_URL ? [settings.BASE_URL] : [])];
  const isAllowed = isAllowedOrigin({
    host: header("host"),
    origin: header("origin"),
    publicHostnames: published.map((url) => new URL(url).hostname),
    isProxied: trustsProxy(settings),
  });
  if (isAllowed) return;
  const message =
    "This server does not accept requests for that host name or from that origin. Operators list its hosts in BASE_URL or SITE_URLS.";
  throw new AppError("forbidden", message);
}

type CountedCall = { headers: Record<string, string>; refusal?: AppError };

/** Counts tool calls; other methods are free. Returns the limit's headers and, over the limit, why the call is refused. */
async function countToolCall(context: ProductContext, { method }: ClientMessage): Promise<CountedCall> {
  if (method !== "tools/call") return { headers: {} };
  const count = await countCall(context);
  if (!count) return { headers: {} };
  if (count.allowed) return { headers: limitHeaders(count) };
  const refusal = limitError(count, context);
  return { headers: { ...limitHeaders(count), ...refusal.headers }, refusal };
}

/** Converts the MCP server's response: an event stream is forwarded as it arrives, anything else when it is complete. */
async function toReply(response: Response, limits: Record<string, string>): Promise<Reply> {
  const type = response.headers.get("content-type");
  const session = response.headers.get("mcp-session-id");
  const headers = {
    "Cache-Control": "no-store",
    ...(type && { "Content-Type": type }),
    ...(session && { "Mcp-Session-Id": session }),
    ...limits,
  };
  if (type?.startsWith("text/event-stream") && response.body) return streamReply(response.body, headers);
  const text = await response.text();
  return { status: response.status, headers, body: text === "" ? { kind: "none" } : { kind: "text", text } };
}

/** Returns the identity. Refuses a client that wants an event stream with 405: it would otherwise retry every second. */
export function identifyMcp(_context: ProductContext, { header }: InputOf<typeof getMcpIdentityEndpoint>) {
  const accept = header("accept") ?? "";
  if (accept.includes("text/event-stream") && !accept.includes("application/json")) {
    throw new AppError("method_not_allowed", "This endpoint has no event stream. POST JSON-RPC requests.", {
      headers: { Allow: "GET, HEAD, POST, OPTIONS" },
    });
  }
  return mcpIdentity();
}

type McpInput = Pick<InputOf<typeof callMcpEndpoint>, "rawBody" | "header" | "headers" | "signal">;
type Answer = typeof answerStateless;

async function answerPost(
  context: ProductContext,
  { rawBody, header, headers, signal }: McpInput,
  { answer, acceptsResponses }: { answer: Answer; acceptsResponses: boolean },
): Promise<Reply> {
  requireOrigin(context, { header });
  const read = readMessage(rawBody, { acceptsResponses });
  if ("rejection" in read) return jsonReply(read.rejection, 400);
  const { headers: limits, refusal } = await countToolCall(context, read.message);
  const post = { headers: headers(), body: rawBody, message: read.message, signal: signal(), refusal };
  return toReply(await answer(context, post), limits);
}

export function answerMcpPost(context: ProductContext, input: InputOf<typeof callMcpEndpoint>): Promise<Reply> {
  return answerPost(context, input, { answer: answerStateless, acceptsResponses: false });
}

export function answerMcpSessionPost(
  context: ProductContext,
  input: InputOf<typeof callMcpSessionEndpoint>,
): Promise<Reply> {
  return answerPost(context, input, { answer: answerSessionPost, acceptsResponses: true });
}

export async function streamMcpSession(
  context: ProductContext,
  { header, headers }: InputOf<typeof streamMcpSessionEndpoint>,
): Promise<Reply> {
  requireOrigin(context, { header });
  const accept = header("accept") ?? "*/*";
  if (!accept.includes("text/event-stream") && !accept.includes("*/*")) {
    throw new AppError("bad_request", "This endpoint is an event stream. Send the header Accept: text/event-stream.");
  }
  return streamReply(await streamSession(context, headers()), {
    "Content-Type": "text/event-stream; charset=utf-8",
    "X-Accel-Buffering": "no",
  });
}

export async function deleteMcpSession(
  context: ProductContext,
  { header, headers }: InputOf<typeof deleteMcpSessionEndpoint>,
): Promise<Reply> {
  requireOrigin(context, { header });
  await deleteSession(context, headers());
  return emptyReply(204);
}
