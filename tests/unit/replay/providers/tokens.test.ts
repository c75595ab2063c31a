import { expect, it } from "vitest";
import { tokensOf } from "#lib/replay/providers/index";

it.each([
  [
    "Anthropic, whose cached tokens are beside the input",
    { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 },
    { input: 10, output: 5, cache_read: 100, cache_write: 20 },
  ],
  [
    "Chat Completions, whose cached tokens are part of the input",
    { prompt_tokens: 110, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 100 } },
    { input: 10, output: 5, cache_read: 100, cache_write: 0 },
  ],
  [
    "Responses",
    { input_tokens: 110, output_tokens: 5, input_tokens_details: { cached_tokens: 100 } },
    { input: 10, output: 5, cache_read: 100, cache_write: 0 },
  ],
  [
    "Gemini, whose thinking is beside the answer, as are prompts of tools",
    {
      ...{ promptTokenCount: 110, candidatesTokenCount: 5, thoughtsTokenCount: 7 },
      ...{ cachedContentTokenCount: 100, toolUsePromptTokenCount: 3 },
    },
    { input: 13, output: 12, cache_read: 100, cache_write: 0 },
  ],
  ["Ollama", { prompt_eval_count: 10, eval_count: 5 }, { input: 10, output: 5, cache_read: 0, cache_write: 0 }],
  ["embeddings", { prompt_tokens: 10, total_tokens: 10 }, { input: 10, output: 0, cache_read: 0, cache_write: 0 }],
  ["an answer without usage", {}, null],
  ["usage that is not numbers", { input_tokens: "10", output_tokens: null }, null],
])("reads the tokens of %s", (_name, usage, tokens) => {
  expect(tokensOf(usage)).toEqual(tokens);
});
