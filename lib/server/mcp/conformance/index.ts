import type { McpServer } from "@modelcontextprotocol/server";
import { config } from "#lib/platform/config";
import { announceTools } from "#lib/server/notifications/index";
import type { Exchange } from "../server/exchange";
import { registerAskingTools } from "./register-asking-tools";
import { registerContentTools } from "./register-content-tools";
import { registerFixturePrompts } from "./register-prompts";
import { registerFixtureResources, watchedUri } from "./register-resources";
import { registerRounds, requestState } from "./register-rounds";
import { textResult } from "./samples";

/** Whether the tools that the protocol's conformance suite calls stand beside ours. */
export function hasFixtures(): boolean {
  return config().MCP_CONFORMANCE_FIXTURES !== undefined;
}

/** What the fixtures need of a server beyond what our tools do. */
export function fixtureOptions() {
  return hasFixtures() ? { capabilities: { logging: {} }, requestState: { verify: requestState.verify } } : {};
}

export function isFixtureUri(uri: string): boolean {
  return hasFixtures() && uri === watchedUri;
}

/** Lets every client hear that the list of tools has changed, as after a deployment. */
function registerTrigger(server: McpServer, { context }: Exchange): void {
  server.registerTool("test_trigger_tool_change", { description: "Tells that tools have changed." }, async () => {
    for (const hash of ["0", "1"]) await announceTools(context, { name: "conformance", hash: hash.repeat(64) });
    return textResult("Told.");
  });
}

/** The resource that the suite watches never changes: without sessions, too, it is the truth that it is watched. */
function watchWithoutSession({ server }: McpServer, { route }: Exchange): void {
  if (route !== "stateless") return;
  server.registerCapabilities({ resources: { subscribe: true } });
  server.setRequestHandler("resources/subscribe", async () => ({}));
  server.setRequestHandler("resources/unsubscribe", async () => ({}));
}

export function registerFixtures(server: McpServer, exchange: Exchange): void {
  if (!hasFixtures()) return;
  registerTrigger(server, exchange);
  watchWithoutSession(server, exchange);
  registerContentTools(server);
  registerAskingTools(server);
  registerRounds(server);
  registerFixtureResources(server);
  registerFixturePrompts(server);
}
