import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { AppError, internalErrorMessage } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
import { type ReplayToolContext, replayTools } from "#lib/replay/index";
import type { Tool } from "./tool";

export type ToolContext = ReplayToolContext & { log: Log };

/** Every tool of the endpoint, in the order in which clients see them. */
export const tools = replayTools as unknown as readonly Tool<ToolContext>[];

/** All tools read and change nothing, and their world is closed. */
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

function failureOf(error: unknown, { log }: ToolContext, tool: string): CallToolResult {
  const isForeseen = error instanceof AppError && error.status < 500;
  if (!isForeseen) log.error({ err: error, tool }, "a tool failed");
  const text = error instanceof AppError ? error.message : internalErrorMessage;
  return { content: [{ type: "text", text }], isError: true };
}

async function call(tool: Tool<ToolContext>, context: ToolContext, input: unknown): Promise<CallToolResult> {
  try {
    const result = (await tool.run(context, input)) as Record<string, unknown>;
    return { structuredContent: result, content: [{ type: "text", text: JSON.stringify(result) }] };
  } catch (error) {
    return failureOf(error, context, tool.name);
  }
}

/** Registers the tools for one request, whose context they get. */
export function registerTools(server: McpServer, context: ToolContext): void {
  for (const tool of tools) {
    const { name, title, description, input: inputSchema, output: outputSchema } = tool;
    const config = { title, description, inputSchema, outputSchema, annotations: { title, ...annotations } };
    server.registerTool(name, config as never, ((input: unknown) => call(tool, context, input)) as never);
  }
}
