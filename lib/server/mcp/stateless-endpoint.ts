import { createMcpHandler } from "mcp-handler";
import { serviceName, version } from "#lib/platform/version";
import { registerCapabilities, serverInfo, serverOptions } from "./create-server";
import { identityProtocol, type McpIdentity } from "./endpoints";
import {
  acceptsEventStream,
  isLegacy,
  type McpPost,
  runWithMcpRequest,
  toWebRequest,
  withRequestTimeout,
} from "./mcp-request";
import { listen } from "./subscription-streams";
import type { ToolContext } from "./tool-context";

export function mcpIdentity(): McpIdentity {
  return { name: serviceName, version, protocol: identityProtocol };
}

/** Returns a response of one event as plain JSON, for a client that does not accept an event stream. */
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
  createMcpHandler(registerCapabilities, { ...serverOptions(options), serverInfo, telemetry: false });

let handlers: Record<"legacy" | "modern", ReturnType<typeof toHandler>> | undefined;

/** The handlers serve every tier; the current request decides which tools it gets. Only the newest revision has streams. */
function handlerOf(revision: "legacy" | "modern") {
  handlers ??= { legacy: toHandler({ hasStreams: false }), modern: toHandler({ hasStreams: true }) };
  return handlers[revision];
}

/** Answers one message at `/api/mcp`, without sessions. */
export async function answerStateless(context: ToolContext, post: McpPost): Promise<Response> {
  const { message, refusal } = post;
  const request = (signal: AbortSignal) =>
    toWebRequest(post, { origin: context.origin, path: "/api/mcp", signal, acceptsBoth: true });
  return runWithMcpRequest({ route: "stateless", context, message, refusal }, async () => {
    const legacy = isLegacy(post);
    if (message.method === "subscriptions/listen" && !legacy) return listen(context, post, request(post.signal));
    const handler = handlerOf(legacy ? "legacy" : "modern");
    const response = await withRequestTimeout(message, (signal) => handler(request(signal)));
    return acceptsEventStream(post) ? response : withoutEventStream(response);
  });
}
