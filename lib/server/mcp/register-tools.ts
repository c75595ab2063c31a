import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { contractTier, reachesTier } from "#lib/accounts/plans/index";
import { AppError, internalErrorMessage } from "#lib/platform/errors";
import { logFailure } from "#lib/platform/log-failure";
import type { McpRequestContext } from "./mcp-request";
import { type ListedTool, listTools, registry } from "./registry";
import type { ToolContext } from "./tool-context";
import { toolSchema } from "./tool-schema";

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function failureOf(error: unknown, { log }: ToolContext, tool: string): CallToolResult {
  const isCallersMistake = error instanceof AppError && error.status < 500;
  if (!isCallersMistake) logFailure(log, error, { tool }, "tool call failed");
  return failure(error instanceof AppError ? error.message : internalErrorMessage);
}

/** Runs a tool. A failure becomes a result with `isError` whose text says what to do. */
async function callTool(
  { tool, tier }: ListedTool,
  { route, context, refusal }: McpRequestContext,
  input: unknown,
): Promise<CallToolResult> {
  if (refusal) return failure(refusal.message);
  if (route === "stateless" && !reachesTier(context.caller.tier, tier)) {
    return failure(
      `${tool.name} needs an API key of the ${tier} tier or a higher one. Call get_pricing for the tiers.`,
    );
  }
  try {
    const result = (await tool.run(context, input)) as Record<string, unknown>;
    return { structuredContent: result, content: [{ type: "text", text: JSON.stringify(result) }] };
  } catch (error) {
    return failureOf(error, context, tool.name);
  }
}

function toConfig({ tool: { title, description, annotations, input, output } }: ListedTool) {
  const schemas = { inputSchema: toolSchema(input, "input"), outputSchema: toolSchema(output, "output") };
  return { title, description, annotations: { title, ...annotations }, ...schemas };
}

const configs = new WeakMap<ListedTool, ReturnType<typeof toConfig>>();

/** Returns the SDK's configuration of a tool, created once per process. */
function configOf(listed: ListedTool): ReturnType<typeof toConfig> {
  const config = configs.get(listed) ?? toConfig(listed);
  configs.set(listed, config);
  return config;
}

/** The tools to register for a request. A call needs the one tool it names, even if only a higher tier lists it. */
function toolsFor({ route, context, message }: McpRequestContext): readonly ListedTool[] {
  const listed = listTools(route, contractTier(context.caller.tier));
  if (message.method !== "tools/call") return listed;
  const known = route === "stateless" ? registry : listed;
  return known.filter(({ tool }) => tool.name === message.params?.name);
}

export function registerTools(server: McpServer, request: McpRequestContext): void {
  for (const listed of toolsFor(request)) {
    server.registerTool(listed.tool.name, configOf(listed), (input: unknown) => callTool(listed, request, input));
  }
}
