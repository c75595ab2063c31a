import type { ScriptBlock } from "./script";

/** Returns the text of a block as its deltas contain it; empty if it has none. */
export function textOf(block: ScriptBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "refusal":
      return block.refusal;
    case "web_search_tool_result":
      return "";
    default:
      return JSON.stringify(block.input);
  }
}
