import { createHash } from "node:crypto";
import { processSingleton } from "#lib/platform/process-singleton";
import { announceTools } from "#lib/server/notifications/index";
import { registry, type ToolContext } from "./registry";
import { toolJsonSchema } from "./server/tool-schema";

function hashOfTools(): string {
  const parts = registry.map(({ tier, tool: { name, title, description, input, output } }) => {
    return [tier, name, title, description, toolJsonSchema(input, "input"), toolJsonSchema(output, "output")];
  });
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const announced = () =>
  processSingleton<{ attempt: Promise<void> | null }>("mcpToolsAnnounced", () => ({ attempt: null }));

/** Tells clients of a new list of tools where this instance brought one, at its first session or stream. */
export async function announceToolsOnce(context: ToolContext): Promise<void> {
  const state = announced();
  state.attempt ??= announceTools(context, { name: "mcp", hash: hashOfTools() }).catch((error) => {
    state.attempt = null;
    context.log.warn({ err: error }, "the list of tools could not be announced");
  });
  await state.attempt;
}
