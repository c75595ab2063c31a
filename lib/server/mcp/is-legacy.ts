import { classifyInboundRequest } from "@modelcontextprotocol/server";
import type { ClientMessage } from "./messages";

/** Whether a message is of a revision that opens with `initialize`, as the SDK's own servers decide it. */
export function isLegacy(headers: Headers, body: ClientMessage): boolean {
  const given = (name: string) => headers.get(name) ?? undefined;
  const outcome = classifyInboundRequest({
    httpMethod: "POST",
    protocolVersionHeader: given("mcp-protocol-version"),
    mcpMethodHeader: given("mcp-method"),
    mcpNameHeader: given("mcp-name"),
    body,
  });
  return outcome.kind === "legacy";
}
