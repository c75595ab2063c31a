import { asObject, type Json } from "./provider";

/** Tokens of answers, as they are billed. `input` is without those that were read from or written to a cache. */
export type Tokens = { input: number; output: number; cache_read: number; cache_write: number };

const inputNames = ["input_tokens", "prompt_tokens", "promptTokenCount", "prompt_eval_count"];
const outputNames = ["output_tokens", "completion_tokens", "candidatesTokenCount", "eval_count"];

/** Returns the first of some members that is a number; null if none is. */
function numberOf(usage: Json, names: readonly string[]): number | null {
  const count = names.map((name) => usage[name]).find((value) => typeof value === "number");
  return typeof count === "number" ? count : null;
}

/** Returns the number of output tokens in a provider's usage; null if it has none. */
export function outputTokensOf(usage: Json): number | null {
  return numberOf(usage, outputNames);
}

/** Returns the tokens in a provider's usage; null if it reports none. */
export function tokensOf(usage: Json): Tokens | null {
  const [input, output] = [numberOf(usage, inputNames), outputTokensOf(usage)];
  if (input === null && output === null) return null;
  const count = (...names: string[]) => numberOf(usage, names) ?? 0;
  const details = asObject(usage.prompt_tokens_details ?? usage.input_tokens_details);
  // Anthropic counts what a cache has beside the input, others as a part of it.
  const isBeside = "cache_read_input_tokens" in usage;
  const read = isBeside
    ? count("cache_read_input_tokens")
    : (numberOf(details, ["cached_tokens"]) ?? count("cachedContentTokenCount"));
  return {
    input: (input ?? 0) + count("toolUsePromptTokenCount") - (isBeside ? 0 : read),
    // Gemini counts thinking beside the answer, others as a part of it.
    output: (output ?? 0) + count("thoughtsTokenCount"),
    cache_read: read,
    cache_write: count("cache_creation_input_tokens"),
  };
}
