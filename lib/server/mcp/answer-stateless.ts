import { createMcpHandler } from "mcp-handler";
import { serviceName, version } from "#lib/platform/version";
import { withinDeadline } from "./deadline";
import { isLegacy } from "./is-legacy";
import type { ClientMessage } from "./messages";
import type { ToolContext } from "./registry";
import { identityProtocol, type McpIdentity } from "./schemas";
import { fillServer, serverInfo, serverOptions } from "./server/create-server";
import { currentExchange, withExchange } from "./server/exchange";
import { listen } from "./server/listen";

export function mcpIdentity(): McpIdentity {
  return { name: serviceName, version, protocol: identityProtocol };
}

/** A reply of one message as plain JSON, for a client that did not ask for an event stream. */
async function withoutEventStream(response: Response): Promise<Response> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const text = await response.text();
  const [data, ...more] = [...text.matchAll(/^data: ?(.+)$/gm)].map(([, line]) => line as string);
  if (data === undefined || more.length > 0) return new Response(text, response);
  return new Response(data, {
    status: response.status,
    headers: { "content-type": "application/json; charset=utf-8" },
  });
}

const toHandler = (options: { hasStreams: boolean }) =>
  createMcpHandler((server) => fillServer(server, currentExchange()), {
    ...serverOptions(options),
    serverInfo,
    telemetry: false,
  });

let handlers: Record<"legacy" | "modern", ReturnType<typeof toHandler>> | undefined;

/** They serve every tier: which tools a request gets, its exchange decides. Only the newest revision has streams without sessions. */
function handlerOf(revision: "legacy" | "modern") {
  handlers ??= { legacy: toHandler({ hasStreams: false }), modern: toHandler({ hasStreams: true }) };
  return handlers[revision];
}

type StatelessPost = { headers: Headers; body: Uint8Array; message: ClientMessage; signal: AbortSignal };

/** The request as the handlers want it: JSON, and both types accepted, which they insist on. */
function toRequest({ origin }: ToolContext, { headers: given, body }: StatelessPost, signal: AbortSignal): Request {
  const headers = new Headers(given);
  headers.set("accept", "application/json, text/event-stream");
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  return new Request(`${origin}/api/mcp`, { method: "POST", headers, body: Buffer.from(body), signal });
}

/** Passes one checked message to the stateless MCP server and gives its answer. */
export async function answerStateless(context: ToolContext, post: StatelessPost): Promise<Response> {
  const { headers, message } = post;
  const acceptsEvents = headers.get("accept")?.includes("text/event-stream") ?? false;
  return withExchange({ route: "stateless", context, message }, async () => {
    const isOld = isLegacy(headers, message);
    if (message.method === "subscriptions/listen" && !isOld) {
      return listen(context, message, toRequest(context, post, post.signal));
    }
    const handler = handlerOf(isOld ? "legacy" : "modern");
    const response = await withinDeadline(message, (signal) => handler(toRequest(context, post, signal)));
    return acceptsEvents ? response : withoutEventStream(response);
  });
}
