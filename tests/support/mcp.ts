import { inject } from "vitest";

/** Returns request headers for JSON, with the key if there is one. */
export function mcpHeaders(key?: string): Record<string, string> {
  return { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
}

/** A response has one of the two; the other is empty. */
type Rpc = { result: Record<string, unknown>; error: { code?: number; message?: string } };

const empty: Rpc = { result: {}, error: {} };

/** Sends one JSON-RPC message to an MCP endpoint of the started app. */
export async function sendRpc(
  path: "/api/mcp" | "/api/mcp/v2",
  message: object,
  { key, session, origin = inject("baseUrl") }: { key?: string; session?: string; origin?: string } = {},
) {
  const headers = { ...mcpHeaders(key), ...(session ? { "mcp-session-id": session } : {}) };
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  const response = await fetch(`${origin}${path}`, { method: "POST", headers, body });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: { ...empty, ...(text !== "" && JSON.parse(text)) } as Rpc,
  };
}

export const initialize = (protocolVersion = "2025-11-25") => ({
  id: 0,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } },
});

/** Opens a session and returns its id. */
export async function openMcpSession(options: { key?: string; origin?: string } = {}): Promise<string> {
  const { headers } = await sendRpc("/api/mcp/v2", initialize(), options);
  const session = headers.get("mcp-session-id");
  if (session === null) throw new Error("no session was opened");
  return session;
}

/** Returns the names of the tools that an endpoint lists. */
export async function toolNames(path: "/api/mcp" | "/api/mcp/v2", options: { key?: string; session?: string } = {}) {
  const { json } = await sendRpc(path, { id: 1, method: "tools/list" }, options);
  return (json.result.tools as { name: string }[]).map(({ name }) => name);
}
