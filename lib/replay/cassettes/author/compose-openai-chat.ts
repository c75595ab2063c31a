import { asObject, openaiChat } from "#lib/replay/providers/index";
import { textOf } from "./block-text";
import {
  authoredId,
  authoredSeconds,
  type ComposeInput,
  type Composer,
  type Json,
  messagesRequestSchema,
  readField,
  resultText,
} from "./compose-stream";

const stopReasons = { end_turn: "stop", max_tokens: "length", tool_use: "tool_calls", refusal: "stop" };

function toBody({ script, model, usage, random }: ComposeInput): Json {
  const { blocks, ending, request } = script;
  const textOfKind = (type: string) => blocks.filter((block) => block.type === type).map(textOf)[0] ?? null;
  const calls = blocks.flatMap((block) => {
    if (block.type !== "tool_use") return [];
    const called = { name: block.name, arguments: textOf(block) };
    return [{ id: block.id ?? authoredId("call_", 24, random), type: "function", function: called }];
  });
  const message = { role: "assistant", content: textOfKind("text"), refusal: textOfKind("refusal") };
  const hasUsage = request.stream !== true || readField(request, "stream_options.include_usage") === true;
  const { inputTokens: prompt_tokens, outputTokens: completion_tokens, cachedTokens: cached_tokens } = usage;
  const counts = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  const details = cached_tokens > 0 && { prompt_tokens_details: { cached_tokens } };
  return {
    id: authoredId("chatcmpl-", 29, random),
    object: "chat.completion",
    created: authoredSeconds(script),
    model,
    service_tier: "default",
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) },
        logprobs: null,
        finish_reason: stopReasons[ending.stop_reason as keyof typeof stopReasons],
      },
    ],
    ...(hasUsage && { usage: { ...counts, ...details } }),
  };
}

export const composeOpenaiChat: Composer = {
  provider: openaiChat,
  // A client that does not ask for the usage gets the stream without it.
  addToRequest: ({ stream_options: options }) => ({ stream_options: { ...asObject(options), include_usage: true } }),
  requestSchema: messagesRequestSchema,
  blockTypes: ["text", "refusal", "tool_use"],
  isOneMessage: true,
  stopReasons,
  limitField: "max_completion_tokens",
  thinkingField: "reasoning_effort",
  toBody,
  answerItems: ({ choices }) => (choices as { message: Json }[]).map(({ message }) => message),
  resultItems: (results) =>
    results.map((result) => ({ role: "tool", tool_call_id: result.callId, content: resultText(result) })),
};
