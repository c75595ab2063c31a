import { isInitializeRequest, type McpServer, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { config } from "#lib/platform/config";
import { openSession, passAnswer, type Session } from "#lib/server/mcp-sessions/index";
import { withinDeadline } from "../deadline";
import type { ClientMessage } from "../messages";
import type { ToolContext } from "../registry";
import { createServer } from "../server/create-server";
import { withExchange } from "../server/exchange";
import { handleSubscriptions } from "./handle-subscriptions";
import { SessionTransport } from "./session-transport";
import { untilDone } from "./until-done";

export const sessionHeader = "mcp-session-id";

/** One request of a revision that opens with `initialize`. */
export type LegacyRequest = { request: Request; message: ClientMessage; session: Session | null };

/** The revision that the server will name: the client's, where it is spoken here. */
function negotiate(asked: string): string {
  const [latest] = SUPPORTED_PROTOCOL_VERSIONS as [string, ...string[]];
  return SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : latest;
}

type Exchange = LegacyRequest & { context: ToolContext };

/** Events are for what a tool says before its result; none of ours does, and plain JSON costs less. */
function sendsEvents(request: Request): boolean {
  const acceptsEvents = request.headers.get("accept")?.includes("text/event-stream") ?? false;
  return acceptsEvents && config().MCP_CONFORMANCE_FIXTURES !== undefined;
}

function forTransport(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  return new Request(request.url, { method: "POST", headers, signal: request.signal });
}

async function serve(server: McpServer, { context, request, message, session }: Exchange): Promise<Response> {
  const transport = new SessionTransport({
    ...{ context, session, sendsEvents: sendsEvents(request) },
    servedId: message.id ?? undefined,
  });
  const close = () => {
    transport.close().catch(() => undefined);
    server.close().catch(() => undefined);
  };
  request.signal.addEventListener("abort", close, { once: true });
  try {
    await server.connect(transport);
    if (session) await transport.restore(session);
    const response = await transport.handleRequest(forTransport(request), { parsedBody: message });
    return untilDone(response, close);
  } catch (error) {
    close();
    throw error;
  }
}

async function withSession(context: ToolContext, message: ClientMessage): Promise<Record<string, string>> {
  if (!isInitializeRequest(message)) return {};
  const { params } = message;
  const session = await openSession(context, {
    client: JSON.parse(JSON.stringify(params)),
    protocolVersion: negotiate(params.protocolVersion),
  });
  return { [sessionHeader]: session.id };
}

/** Answers a message within a session, or the one that opens it. */
export async function answerLegacy(context: ToolContext, legacy: LegacyRequest): Promise<Response> {
  const { message, session } = legacy;
  if (message.method === undefined && session) {
    await passAnswer(context, session, { requestId: String(message.id), message });
    return new Response(null, { status: 202 });
  }
  const exchange = { route: "sessions", context, message } as const;
  return withExchange(exchange, async () => {
    const server = createServer(exchange, { hasStreams: true });
    if (session) handleSubscriptions(server, context, session);
    const sessionHeaders = await withSession(context, message);
    const response = await withinDeadline(message, (signal) => {
      const request = new Request(legacy.request, { signal: AbortSignal.any([legacy.request.signal, signal]) });
      return serve(server, { ...legacy, request, context });
    });
    for (const [name, value] of Object.entries(sessionHeaders)) response.headers.set(name, value);
    return response;
  });
}
