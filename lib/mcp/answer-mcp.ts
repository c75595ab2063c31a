import { createMcpHandler } from "mcp-handler";
import { serviceName, version } from "#lib/platform/version";
import { registerTools, type ToolContext } from "./register-tools";
import { identityProtocol, type McpIdentity } from "./schemas";

/** Longest time for one request, in milliseconds. */
const deadlineMs = 30_000;

const instructions =
  "Tapedeck replays recorded model responses without spending tokens. Find a cassette with list_cassettes, read its answer with replay_cassette, or stream its replay_url over SSE with the recorded timing.";

export function mcpIdentity(): McpIdentity {
  return { name: serviceName, version, protocol: identityProtocol };
}

/** A request that is no JSON-RPC: -32700 no JSON, -32600 no request. Sent with status 400. */
export type Rejection = { jsonrpc: "2.0"; error: { code: -32700 | -32600; message: string }; id: null };

function rejection(code: -32700 | -32600, message: string): Rejection {
  return { jsonrpc: "2.0", error: { code, message }, id: null };
}

/** Checks that a body is one JSON-RPC message; gives the rejection where it is not. */
export function checkMessage(body: Uint8Array): Rejection | null {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return rejection(-32700, "The body is not JSON.");
  }
  if (Array.isArray(message)) return rejection(-32600, "Batches are not supported: send one request at a time.");
  const { jsonrpc, method } = (message ?? {}) as { jsonrpc?: unknown; method?: unknown };
  if (jsonrpc !== "2.0" || typeof method !== "string") {
    return rejection(-32600, 'The body is not a JSON-RPC 2.0 request: it needs "jsonrpc": "2.0" and "method".');
  }
  return null;
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

/** Passes one checked message to the MCP server and gives its answer. */
export async function answerMcp(requestHeaders: Headers, body: Uint8Array, context: ToolContext): Promise<Response> {
  const handler = createMcpHandler((server) => registerTools(server, context), {
    serverInfo: { name: serviceName, version },
    instructions,
    maxSubscriptions: 0,
    telemetry: false,
  });
  const acceptsEvents = requestHeaders.get("accept")?.includes("text/event-stream") ?? false;
  const headers = new Headers(requestHeaders);
  headers.set("accept", "application/json, text/event-stream");
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  const signal = AbortSignal.timeout(deadlineMs);
  const url = `${context.origin}/api/mcp`;
  const response = await handler(new Request(url, { method: "POST", headers, body: Buffer.from(body), signal }));
  return acceptsEvents ? response : withoutEventStream(response);
}
