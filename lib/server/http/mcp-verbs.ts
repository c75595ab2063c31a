import type { InputOf } from "#lib/contract/endpoint";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import {
  answerSessionPost,
  answerStateless,
  type ClientMessage,
  type callMcpEndpoint,
  type callMcpSessionEndpoint,
  type deleteMcpSessionEndpoint,
  deleteSession,
  type getMcpIdentityEndpoint,
  isAllowedOrigin,
  mcpIdentity,
  readMessage,
  type streamMcpSessionEndpoint,
  streamSession,
} from "#lib/server/mcp/index";
import { trustsProxy } from "./client-address";
import type { RequestContext } from "./context";
import { countCall, limitError, limitHeaders } from "./limit";
import { emptyReply, jsonReply, type Reply, streamReply } from "./reply";

type GivenHeaders = { header: (name: string) => string | null };

/** Throws AppError forbidden for a request that only a page in somebody's browser would send here. */
function requireOrigin({ siteUrls }: RequestContext, { header }: GivenHeaders): void {
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
    "This server is not published under that host name, or not for that origin. Operators name its hosts in BASE_URL or SITE_URLS.";
  throw new AppError("forbidden", message);
}

/** Counts a call of a tool, which alone counts. Gives the headers that tell of the limit; throws AppError rate_limited. */
async function countTool(context: RequestContext, { method }: ClientMessage): Promise<Record<string, string>> {
  if (method !== "tools/call") return {};
  const answer = await countCall(context);
  if (!answer) return {};
  if (answer.allowed) return limitHeaders(answer);
  const { message, headers } = limitError(answer, context.clock.now());
  throw new AppError("rate_limited", message, { headers: { ...headers, ...limitHeaders(answer) } });
}

/** What the MCP server answered, for our transports: events as they come, anything else whole. */
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

/** The identity; a client that wants an event stream hears at once that there is none, or it would ask each second. */
export function identifyMcp(_context: RequestContext, { header }: InputOf<typeof getMcpIdentityEndpoint>) {
  const accept = header("accept") ?? "";
  if (accept.includes("text/event-stream") && !accept.includes("application/json")) {
    throw new AppError("method_not_allowed", "This endpoint keeps no event stream open. POST JSON-RPC requests.", {
      headers: { Allow: "GET, HEAD, POST, OPTIONS" },
    });
  }
  return mcpIdentity();
}

export async function answerMcpPost(
  context: RequestContext,
  { rawBody, header, headers, signal }: InputOf<typeof callMcpEndpoint>,
): Promise<Reply> {
  requireOrigin(context, { header });
  const read = readMessage(rawBody, { takesAnswers: false });
  if ("rejection" in read) return jsonReply(read.rejection, 400);
  const limits = await countTool(context, read.message);
  const post = { headers: headers(), body: rawBody, message: read.message, signal: signal() };
  return toReply(await answerStateless(context, post), limits);
}

export async function answerMcpSessionPost(
  context: RequestContext,
  { rawBody, header, headers, signal }: InputOf<typeof callMcpSessionEndpoint>,
): Promise<Reply> {
  requireOrigin(context, { header });
  const read = readMessage(rawBody, { takesAnswers: true });
  if ("rejection" in read) return jsonReply(read.rejection, 400);
  const limits = await countTool(context, read.message);
  return toReply(
    await answerSessionPost(context, { headers: headers(), message: read.message, signal: signal() }),
    limits,
  );
}

export async function streamMcpSession(
  context: RequestContext,
  { header, headers }: InputOf<typeof streamMcpSessionEndpoint>,
): Promise<Reply> {
  requireOrigin(context, { header });
  const accept = header("accept") ?? "*/*";
  if (!accept.includes("text/event-stream") && !accept.includes("*/*")) {
    throw new AppError("bad_request", "This is an event stream. Send the header Accept: text/event-stream.");
  }
  return streamReply(await streamSession(context, headers()), {
    "Content-Type": "text/event-stream; charset=utf-8",
    "X-Accel-Buffering": "no",
  });
}

export async function deleteMcpSession(
  context: RequestContext,
  { header, headers }: InputOf<typeof deleteMcpSessionEndpoint>,
): Promise<Reply> {
  requireOrigin(context, { header });
  await deleteSession(context, headers());
  return emptyReply(204);
}
