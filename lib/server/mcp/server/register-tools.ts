import type { McpServer } from "@modelcontextprotocol/server";
import { contractTier } from "#lib/accounts/plans/index";
import { type ListedTool, listTools, registry } from "../registry";
import { callTool } from "./call-tool";
import type { Exchange } from "./exchange";
import { toolSchema } from "./tool-schema";

function toConfig({ tool: { title, description, annotations, input, output } }: ListedTool) {
  const schemas = { inputSchema: toolSchema(input, "input"), outputSchema: toolSchema(output, "output") };
  return { title, description, annotations: { title, ...annotations }, ...schemas };
}

const configs = new WeakMap<ListedTool, ReturnType<typeof toConfig>>();

/** How the SDK hears of a tool, made once. */
function configOf(listed: ListedTool): ReturnType<typeof toConfig> {
  const config = configs.get(listed) ?? toConfig(listed);
  configs.set(listed, config);
  return config;
}

/** A call needs the one tool that it names, also where only another tier lists it: it then says which. */
function toolsFor({ route, context, message }: Exchange): readonly ListedTool[] {
  const listed = listTools(route, contractTier(context.caller.tier));
  if (message.method !== "tools/call") return listed;
  const known = route === "stateless" ? registry : listed;
  return known.filter(({ tool }) => tool.name === message.params?.name);
}

export function registerTools(server: McpServer, exchange: Exchange): void {
  for (const listed of toolsFor(exchange)) {
    const run = (input: unknown) => callTool(listed, exchange.route, exchange.context, input);
    server.registerTool(listed.tool.name, configOf(listed), run);
  }
}
