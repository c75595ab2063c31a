import { existingSingleton } from "#lib/platform/process-singleton";
import type { McpExtension } from "./mcp-request";

const none: McpExtension = { options: {}, register: () => undefined, isSubscribable: () => false, sendsEvents: false };

/** Returns what the tests of the protocol's conformance suite add to every MCP server of the process; usually nothing. */
export function mcpExtension(): McpExtension {
  return existingSingleton<McpExtension>("mcpExtension") ?? none;
}
