import { ScriptError } from "./script-error";
import type { Script } from "./script-schema";

/** Refuses what no provider could have sent: undeclared tools, results without a search, and the like. Throws ScriptError. */
export function checkScript(script: Script, id: string): void {
  const declared = new Set((script.request.tools ?? []).map(({ name }) => name));
  let searched = false;
  for (const [index, block] of script.blocks.entries()) {
    if ((block.type === "tool_use" || block.type === "server_tool_use") && !declared.has(block.name)) {
      throw new ScriptError(id, `blocks.${index}.name`, `"${block.name}" is not among request.tools`);
    }
    if (block.type === "thinking" && script.request.thinking === undefined) {
      throw new ScriptError(id, `blocks.${index}`, "thinks, but request.thinking is missing");
    }
    if (block.type === "web_search_tool_result" && !searched) {
      throw new ScriptError(id, `blocks.${index}`, "has no server_tool_use block before it");
    }
    searched ||= block.type === "server_tool_use";
  }
  if (script.request.messages.at(-1)?.role !== "user") {
    throw new ScriptError(id, "request.messages", "must end with a message of the user");
  }
  const callsTool = script.blocks.at(-1)?.type === "tool_use";
  if (script.ending.error === undefined && callsTool !== (script.ending.stop_reason === "tool_use")) {
    throw new ScriptError(id, "ending.stop_reason", "is tool_use when the last block is a tool_use, and only then");
  }
}
