import { isIP } from "node:net";
import { createMcpHandler } from "mcp-handler";
import type { InputOf } from "#lib/contract/endpoint";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { isLoopbackHost } from "#lib/platform/loopback";
import { parseUrl } from "#lib/platform/parse-url";
import { serviceName, version } from "#lib/platform/version";
import { countCall, limitError, limitHeaders } from "#lib/server/http/admit";
import { emptyReply, jsonReply, type Reply, streamReply } from "#lib/server/http/reply";
import { trustsProxy } from "#lib/server/http/request";
import type { ProductContext } from "#lib/server/products";
import { serveLegacy } from "./answer-plainly";
import { answerRequest, createServer, serverInfo, serverOptions } from "./create-server";
import {
  type callMcpEndpoint,
  type callMcpSessionEndpoint,
  type deleteMcpSessionEndpoint,
  type getMcpIdentityEndpoint,
  identityProtocol,
  type McpIdentity,
  type streamMcpSessionEndpoint,
} from "./endpoints";
import {
  acceptsEventStream,
  isLegacy,
  type McpAnswer,
  type McpPost,
  mcpExtension,
  type PlainAnswer,
  type Register,
  toWebRequest,
  withRequestTimeout,
} from "./mcp-request";
import { type ClientMessage, readMessage } from "./messages";
import { answerSessionPost, endSession, streamSession } from "./session-endpoint";
import { listen } from "./subscription-streams";
import type { ToolContext } from "./tool-context";

function mcpIdentity(): McpIdentity {
  return { name: serviceName, version, protocol: identityProtocol };
}

/**
 * Returns the answer to a request once it is complete, because tools send nothing before their result: of one event as plain
 * JSON for a client that does not accept an event stream.
 */
async function whole(response: Response, post: McpPost): Promise<Response> {
  const isEvents = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (!isEvents || (mcpExtension().serveWithEvents && acceptsEventStream(post))) return response;
  const text = await response.text();
  const [data, ...more] = [...text.matchAll(/^data: ?(.+)$/gm)].map(([, line]) => line as string);
  if (acceptsEventStream(post) || data === undefined || more.length > 0) return new Response(text, response);
  return new Response(data, {
    status: response.status,
    headers: { "content-type": "application/json; charset=utf-8" },
  });
}

/** Answers a message of a revision that starts with `initialize`. */
async function answerLegacy(context: ToolContext, post: McpPost, register: Register): Promise<McpAnswer> {
  const server = createServer(register, { hasStreams: false });
  const answer = await withRequestTimeout(post.message, (timeout) =>
    serveLegacy(server, { context, post, session: null, timeout }),
  );
  return answer instanceof Response ? answer : { ...answer, isEvent: acceptsEventStream(post) };
}

/** Answers one message at `/api/mcp`, without sessions. */
async function answerStateless(context: ToolContext, post: McpPost): Promise<McpAnswer> {
  const { message, refusal } = post;
  const request = (signal: AbortSignal) =>
    toWebRequest(post, { origin: context.origin, path: "/api/mcp", signal, acceptsBoth: true });
  const legacy = isLegacy(post);
  return answerRequest({ route: "stateless", context, message, refusal, isLegacy: legacy }, async (register) => {
    if (legacy) return answerLegacy(context, post, register);
    if (message.method === "subscriptions/listen")
      return listen(context, { message, register }, request(post.signal()));
    const options = { ...serverOptions({ hasStreams: true }), serverInfo, telemetry: false as const };
    const handler = createMcpHandler(register, options);
    return withRequestTimeout(message, async ({ signal }) => whole(await handler(request(signal)), post));
  });
}

type OriginFacts = {
  /** Host of the request, with or without a port. */
  host: string | null;
  /** The `Origin` header, which browsers send; null without one. */
  origin: string | null;
  /** Host names of the service's URLs. Those of this machine do not publish it. */
  publicHostnames: readonly string[];
  /** Whether requests come through a proxy of the operator. */
  isProxied: boolean;
};

/** Whether a host name is an IP address, which DNS cannot rebind. */
function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
}

/**
 * Whether a request may be answered. Without this check any page in a browser on the operator's machine could call an
 * unpublished server through a host name that its owner points at 127.0.0.1 (DNS rebinding). Of pages, those of this
 * machine and of the server's own host may call it, but not those of any other IP address.
 */
export function isAllowedOrigin({ host, origin, publicHostnames, isProxied }: OriginFacts): boolean {
  const hostname = parseUrl(`http://${host}`)?.hostname ?? "";
  const isPublished = isProxied || (publicHostnames.includes(hostname) && !isLoopbackHost(hostname));
  if (isPublished) return true;
  if (!isLoopbackHost(hostname) && !isAddress(hostname)) return false;
  if (origin === null) return true;
  const originHostname = parseUrl(origin)?.hostname ?? "";
  return originHostname === hostname || isLoopbackHost(originHostname);
}

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

function plainReply({ status, message, isEvent, sessionId }: PlainAnswer, limits: Record<string, string>): Reply {
  const headers = { "Cache-Control": "no-store", ...(sessionId && { "Mcp-Session-Id": sessionId }), ...limits };
  if (message === undefined) return { status, headers, body: { kind: "none" } };
  const json = JSON.stringify(message);
  const isSent = isEvent && status === 200;
  return {
    status,
    headers: { "Content-Type": isSent ? "text/event-stream" : "application/json; charset=utf-8", ...headers },
    body: { kind: "text", text: isSent ? `event: message\ndata: ${json}\n\n` : json },
  };
}

/** Converts the MCP server's answer: an event stream is forwarded as it arrives, anything else when it is complete. */
async function toReply(answer: McpAnswer, limits: Record<string, string>, isStream: boolean): Promise<Reply> {
  if (!(answer instanceof Response)) return plainReply(answer, limits);
  const type = answer.headers.get("content-type");
  const session = answer.headers.get("mcp-session-id");
  const headers = {
    "Cache-Control": "no-store",
    ...(type && { "Content-Type": type }),
    ...(session && { "Mcp-Session-Id": session }),
    ...limits,
  };
  if (isStream && type?.startsWith("text/event-stream") && answer.body) return streamReply(answer.body, headers);
  const text = await answer.text();
  return { status: answer.status, headers, body: text === "" ? { kind: "none" } : { kind: "text", text } };
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
  const { message } = read;
  const { headers: limits, refusal } = await countToolCall(context, message);
  const post = { header, headers, message, signal, refusal };
  const isStream = message.method === "subscriptions/listen" || mcpExtension().serveWithEvents !== undefined;
  return toReply(await answer(context, post), limits, isStream);
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
  { header }: InputOf<typeof streamMcpSessionEndpoint>,
): Promise<Reply> {
  requireOrigin(context, { header });
  const accept = header("accept") ?? "*/*";
  if (!accept.includes("text/event-stream") && !accept.includes("*/*")) {
    throw new AppError("bad_request", "This endpoint is an event stream. Send the header Accept: text/event-stream.");
  }
  return streamReply(await streamSession(context, header), {
    "Content-Type": "text/event-stream; charset=utf-8",
    "X-Accel-Buffering": "no",
  });
}

export async function deleteMcpSession(
  context: ProductContext,
  { header }: InputOf<typeof deleteMcpSessionEndpoint>,
): Promise<Reply> {
  requireOrigin(context, { header });
  await endSession(context, header);
  return emptyReply(204);
}
