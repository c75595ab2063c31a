import type { CallToolResult } from "@modelcontextprotocol/server";
import { reachesTier } from "#lib/accounts/plans/index";
import { AppError, internalErrorMessage } from "#lib/platform/errors";
import type { ListedTool, ToolContext } from "../registry";
import type { McpRoute } from "./exchange";

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function failureOf(error: unknown, { log }: ToolContext, tool: string): CallToolResult {
  const isForeseen = error instanceof AppError && error.status < 500;
  if (!isForeseen)
    log.error({ err: error instanceof AppError ? (error.cause ?? error) : error, tool }, "a tool failed");
  return failure(error instanceof AppError ? error.message : internalErrorMessage);
}

/** Runs a tool. What goes wrong is a result with `isError` that a model can act on. */
export async function callTool(
  { tool, tier }: ListedTool,
  route: McpRoute,
  context: ToolContext,
  input: unknown,
): Promise<CallToolResult> {
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
