import { completeCitation } from "./complete-citation";
import { fakeOpaque } from "./fake-opaque";
import type { Script, ScriptBlock } from "./script-schema";
import type { Random } from "./seeded-random";
import { toSpacedJson } from "./spaced-json";
import { splitBursts } from "./split-tokens";

type Json = Record<string, unknown>;

/** A block as the wire shows it: what `content_block_start` carries, and the deltas that follow. */
export type WireBlock = { contentBlock: Json; deltas: Json[] };

export type BlockContext = {
  script: Script;
  id: string;
  /** The block's place in the script. */
  index: number;
  /** Id of the last server tool call, to which a result belongs. */
  serverToolId: string | null;
  random: Random;
};

function describeText(block: Extract<ScriptBlock, { type: "text" }>, context: BlockContext): WireBlock {
  const { script, id, index, random } = context;
  const text = splitBursts(block.text, script.pace.tokens_per_burst, random).map((part) => ({
    type: "text_delta",
    text: part,
  }));
  if (!block.citations) return { contentBlock: { type: "text", text: "" }, deltas: text };
  const citations = block.citations.map((citation, number) => ({
    type: "citations_delta",
    citation: completeCitation(citation, { script, id, field: `blocks.${index}.citations.${number}`, random }),
  }));
  // A web search's citations stand before the text that they support, a document's after it.
  const isSearch = block.citations[0]?.type === "web_search_result_location";
  const deltas = isSearch ? [...citations, ...text] : [...text, ...citations];
  return { contentBlock: { citations: [], type: "text", text: "" }, deltas };
}

function describeInput(input: Json, { script, random }: BlockContext): Json[] {
  const parts = splitBursts(toSpacedJson(input), script.pace.tokens_per_burst, random);
  return ["", ...parts].map((partial_json) => ({ type: "input_json_delta", partial_json }));
}

/** Turns a script's block into its wire form. Throws ScriptError where a citation does not fit. */
export function describeBlock(block: ScriptBlock, context: BlockContext): WireBlock {
  const { script, random, serverToolId } = context;
  const caller = { type: "direct" };
  switch (block.type) {
    case "text":
      return describeText(block, context);
    case "thinking": {
      const parts = splitBursts(block.thinking, script.pace.tokens_per_burst, random);
      const deltas: Json[] = parts.map((thinking) => ({ type: "thinking_delta", thinking }));
      deltas.push({ type: "signature_delta", signature: fakeOpaque(180, random) });
      return { contentBlock: { type: "thinking", thinking: "", signature: "" }, deltas };
    }
    case "tool_use": {
      const id = block.id ?? `toolu_authored_${random.letters(20)}`;
      const contentBlock = { type: "tool_use", id, name: block.name, input: {}, caller };
      return { contentBlock, deltas: describeInput(block.input, context) };
    }
    case "server_tool_use": {
      const id = `srvtoolu_authored_${random.letters(20)}`;
      const contentBlock = { type: "server_tool_use", id, name: block.name, input: {}, caller };
      return { contentBlock, deltas: describeInput(block.input, context) };
    }
    case "web_search_tool_result": {
      const content = block.results.map(({ title, url, page_age }) => ({
        type: "web_search_result",
        title,
        url,
        encrypted_content: fakeOpaque(240, random),
        page_age,
      }));
      return { contentBlock: { type: block.type, tool_use_id: serverToolId, content, caller }, deltas: [] };
    }
  }
}
