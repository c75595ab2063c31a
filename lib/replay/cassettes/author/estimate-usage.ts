import { objectsOf } from "#lib/replay/providers/index";
import { textOf } from "./block-text";
import type { Script, ScriptBlock } from "./script";
import { ScriptError } from "./script-basics";
import { splitTokens } from "./tokens";

/** Tokens of a block in addition to its content. */
const blockOverheadTokens = 4;
/** Tokens of a document that the request only links to: a report of about eighty pages. */
const linkedDocumentTokens = 120_000;
/** Tokens of the encrypted content of a search result. */
const searchResultTokens = 600;

/** Plausible token counts for an authored response. */
export type EstimatedUsage = {
  /** With the search results, which are added while the response runs. */
  inputTokens: number;
  /** Those of the input that were read from the provider's cache. */
  cachedTokens: number;
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

/** A search result is part of the input. */
function countBlock(block: ScriptBlock): number {
  if (block.type === "web_search_tool_result") return 0;
  const name = "name" in block ? countTokens(block.name) : 0;
  return countTokens(textOf(block)) + name + blockOverheadTokens;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Returns the blocks of all messages of an Anthropic request. */
export function contentBlocks({ request }: Script): Record<string, unknown>[] {
  return objectsOf(request.messages).flatMap(({ content }) => objectsOf(content));
}

function countLinkedDocuments(script: Script): number {
  const isLinked = ({ type, source }: Record<string, unknown>) =>
    type === "document" && (source as { type?: string } | undefined)?.type !== "text";
  return contentBlocks(script).filter(isLinked).length;
}

/** Parts of a request that a model reads, in the names of all providers. */
const promptFields = ["system", "instructions", "systemInstruction", "messages", "input", "contents", "tools"];

/**
 * Estimates the token usage of a script. `limit` is the longest answer that its request allows. Throws ScriptError if the
 * blocks exceed it.
 */
export function estimateUsage(
  script: Script,
  { id, limit, limitField }: { id: string; limit: number | undefined; limitField: string },
): EstimatedUsage {
  const { request, blocks, ending } = script;
  const results = blocks.filter((block) => block.type === "web_search_tool_result");
  const counted = sum(blocks.map(countBlock));
  const stopsAtLimit = ending.stop_reason === "max_tokens";
  if (limit === undefined && stopsAtLimit) {
    throw new ScriptError(id, `request.${limitField}`, "is missing, but ending.stop_reason is max_tokens");
  }
  if (limit !== undefined && counted > limit && !stopsAtLimit) {
    throw new ScriptError(id, `request.${limitField}`, `is ${limit}, but the blocks come to about ${counted} tokens`);
  }
  return {
    inputTokens:
      sum(promptFields.map((field) => countValue(request[field]))) +
      linkedDocumentTokens * countLinkedDocuments(script) +
      sum(results.map(({ results: found }) => searchResultTokens * found.length + countValue(found))),
    cachedTokens: 0,
    // A response that stops at max_tokens has used exactly that many.
    outputTokens: stopsAtLimit && limit !== undefined ? limit : counted,
    thinkingTokens: sum(blocks.filter(({ type }) => type === "thinking").map(countBlock)),
    searchCount: blocks.filter((block) => block.type === "server_tool_use" && block.name === "web_search").length,
  };
}
