import { processSingleton } from "#lib/platform/process-singleton";
import type { McpExtension } from "./mcp-request";

const none: McpExtension = { options: {}, register: () => undefined, isSubscribable: () => false, sendsEvents: false };

const installed = () => processSingleton<{ extension: McpExtension }>("mcpExtension", () => ({ extension: none }));

/** Adds what the protocol's conformance suite calls to every MCP server that this process creates from now on. */
export async function installConformanceExtension(): Promise<void> {
  const { conformanceExtension } = await import("./conformance/index");
  installed().extension = conformanceExtension;
}

/** Returns the installed extension; without one, an extension that adds nothing. */
export function mcpExtension(): McpExtension {
  return installed().extension;
}
