import type { McpServer } from "@modelcontextprotocol/server";
import { announceTools } from "#lib/server/notifications/index";
import type { McpExtension, McpRequestContext } from "../mcp-request";
import { registerClientRequestTools } from "./client-request-tools";
import { registerContentTools } from "./content-tools";
import { registerInputRequiredTools, requestState } from "./input-required-tools";
import { registerConformancePrompts, registerConformanceResources, watchedUri } from "./prompts-and-resources";
import { textResult } from "./samples";

/** Notifies every client that the list of tools changed, as after a deployment. */
function registerTrigger(server: McpServer, { context }: McpRequestContext): void {
  server.registerTool("test_trigger_tool_change", { description: "Announces a change of the tools." }, async () => {
    for (const hash of ["0", "1"]) await announceTools(context, { name: "conformance", hash: hash.repeat(64) });
    return textResult("Announced.");
  });
}

/** Accepts subscriptions without a session: the resource that the suite watches never changes. */
function acceptStatelessSubscriptions({ server }: McpServer, { route }: McpRequestContext): void {
  if (route !== "stateless") return;
  server.registerCapabilities({ resources: { subscribe: true } });
  server.setRequestHandler("resources/subscribe", async () => ({}));
  server.setRequestHandler("resources/unsubscribe", async () => ({}));
}

/** The tools, resources and prompts that the protocol's conformance suite calls. */
export const conformanceExtension: McpExtension = {
  options: { capabilities: { logging: {} }, requestState: { verify: requestState.verify } },
  register: (server, request) => {
    registerTrigger(server, request);
    acceptStatelessSubscriptions(server, request);
    registerContentTools(server);
    registerClientRequestTools(server);
    registerInputRequiredTools(server);
    registerConformanceResources(server);
    registerConformancePrompts(server);
  },
  isSubscribable: (uri) => uri === watchedUri,
  sendsEvents: true,
};
