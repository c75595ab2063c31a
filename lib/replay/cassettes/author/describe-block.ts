import { fakeOpaque, type Json } from "./compose-stream";
import { contentBlocks } from "./estimate-usage";
import { type Script, type ScriptBlock, type ScriptCitation, ScriptError } from "./script";
import type { Random } from "./seeded-random";
import { splitBursts, toSpacedJson } from "./tokens";

/** A content block on the wire: the payload of `content_block_start`, and the deltas that follow. */
type WireBlock = { contentBlock: Json; deltas: Json[] };

type BlockContext = {
  script: Script;
  id: string;
  /** Index of the block in the script. */
  index: number;
  /** Id of the last server tool call, which a result refers to. */
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
  // The citations of a web search come before the text that they support; those of a document come after it.
  const isSearch = block.citations[0]?.type === "web_search_result_location";
  const deltas = isSearch ? [...citations, ...text] : [...text, ...citations];
  return { contentBlock: { citations: [], type: "text", text: "" }, deltas };
}

function describeInput(input: Json, { script, random }: BlockContext): Json[] {
  const parts = splitBursts(toSpacedJson(input), script.pace.tokens_per_burst, random);
  return ["", ...parts].map((partial_json) => ({ type: "input_json_delta", partial_json }));
}

/** Returns a script's block in wire format. Throws ScriptError if a citation does not match its source. */
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
    case "refusal":
      throw new ScriptError(context.id, `blocks.${context.index}`, "Anthropic has no refusal blocks");
  }
}

type Document = { title: string | null; text: string | null };

function readDocument(block: Json): Document {
  const source = block.source as Json | undefined;
  return {
    title: typeof block.title === "string" ? block.title : null,
    text: source?.type === "text" && typeof source.data === "string" ? source.data : null,
  };
}

function listDocuments(script: Script): Document[] {
  return contentBlocks(script)
    .filter(({ type }) => type === "document")
    .map(readDocument);
}

function findResultTitle(script: Script, url: string): string | undefined {
  return script.blocks
    .flatMap((block) => (block.type === "web_search_tool_result" ? block.results : []))
    .find((result) => result.url === url)?.title;
}

/** Returns the range of a cited text in code points, as the wire counts them; null unless it occurs exactly once. */
function locateText(text: string, cited: string): { start: number; end: number } | null {
  const at = text.indexOf(cited);
  if (at < 0 || text.indexOf(cited, at + 1) >= 0) return null;
  const start = [...text.slice(0, at)].length;
  return { start, end: start + [...cited].length };
}

/** Adds the wire fields of a script's citation: title, position, opaque index. Throws ScriptError. */
function completeCitation(
  citation: ScriptCitation,
  { script, id, field, random }: { script: Script; id: string; field: string; random: Random },
): Json {
  const { type, cited_text } = citation;
  if (citation.type === "web_search_result_location") {
    const title = findResultTitle(script, citation.url);
    if (title === undefined)
      throw new ScriptError(id, `${field}.url`, `${citation.url} is not among the search results`);
    return { type, cited_text, url: citation.url, title, encrypted_index: fakeOpaque(48, random) };
  }
  const { document_index } = citation;
  const document = listDocuments(script)[document_index];
  if (!document) throw new ScriptError(id, `${field}.document_index`, `the request has no document ${document_index}`);
  const common = { type, cited_text, document_index, document_title: document.title };
  if (citation.type === "page_location") {
    const { start_page_number, end_page_number } = citation;
    return { ...common, start_page_number, end_page_number, file_id: null };
  }
  const place = document.text === null ? null : locateText(document.text, cited_text);
  if (!place) throw new ScriptError(id, `${field}.cited_text`, `must occur exactly once in document ${document_index}`);
  return { ...common, start_char_index: place.start, end_char_index: place.end, file_id: null };
}
