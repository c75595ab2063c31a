import type { McpServer, ServerOptions } from "@modelcontextprotocol/server";
import type { McpRequestContext } from "./mcp-request";

/** Capabilities in addition to those of the service, for every MCP server of this process. */
export type McpExtension = {
  options: Pick<ServerOptions, "capabilities" | "requestState">;
  /** Registers tools, resources and prompts on the server of one request. */
  register: (server: McpServer, request: McpRequestContext) => void;
  /** Whether a resource of the extension can be subscribed to. */
  isSubscribable: (uri: string) => boolean;
  /** Whether tools send events before their result, so that answers have to be event streams. */
  sendsEvents: boolean;
};
