import type { Script, ScriptBlock } from "./script";
import { ScriptError } from "./script";
import { splitTokens, toSpacedJson } from "./tokens";

/** Tokens of a block in addition to its content. */
const blockOverheadTokens = 4;
/** Tokens of a document that the request only links to: a report of about eighty pages. */
const linkedDocumentTokens = 120_000;
/** Tokens of the encrypted content of a search result. */
const searchResultTokens = 600;

/** Plausible token counts for an authored response. */
export type EstimatedUsage = {
  inputTokens: number;
  /** Tokens that search results add to the input while the response runs. */
  resultTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  searchCount: number;
};

function countTokens(text: string): number {
  return splitTokens(text).length;
}

function countValue(value: unknown): number {
  return value === undefined ? 0 : countTokens(JSON.stringify(value).replace(/[^\p{L}\p{M}\p{N}]+/gu, " "));
}

function countBlock(block: ScriptBlock): number {
  switch (block.type) {
    case "text":
      return countTokens(block.text) + blockOverheadTokens;
    case "thinking":
      return countTokens(block.thinking) + blockOverheadTokens;
    case "tool_use":
    case "server_tool_use":
      return countTokens(toSpacedJson(block.input)) + countTokens(block.name) + blockOverheadTokens;
    case "web_search_tool_result":
      return 0;
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function countLinkedDocuments({ request }: Script): number {
  const blocks = request.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const isLinked = ({ type, source }: Record<string, unknown>) =>
    type === "document" && (source as { type?: string } | undefined)?.type !== "text";
  return blocks.filter(isLinked).length;
}

/** Estimates the token usage of a script. Throws ScriptError if the blocks exceed its max_tokens. */
export function estimateUsage(script: Script, id: string): EstimatedUsage {
  const { request, blocks, ending } = script;
  const results = blocks.filter((block) => block.type === "web_search_tool_result");
  const counted = sum(blocks.map(countBlock));
  if (counted > request.max_tokens && ending.stop_reason !== "max_tokens") {
    const reason = `is ${request.max_tokens}, but the blocks come to about ${counted} tokens`;
    throw new ScriptError(id, "request.max_tokens", reason);
  }
  return {
    inputTokens:
      countValue(request.system) +
      countValue(request.messages) +
      countValue(request.tools) +
      linkedDocumentTokens * countLinkedDocuments(script),
    resultTokens: sum(results.map(({ results: found }) => searchResultTokens * found.length + countValue(found))),
    // A response that stops at max_tokens has used exactly that many.
    outputTokens: ending.stop_reason === "max_tokens" ? request.max_tokens : counted,
    thinkingTokens: sum(blocks.filter(({ type }) => type === "thinking").map(countBlock)),
    searchCount: blocks.filter((block) => block.type === "server_tool_use" && block.name === "web_search").length,
  };
}
