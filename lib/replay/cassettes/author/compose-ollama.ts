import { ollama } from "#lib/replay/providers/index";
import {
  authoredId,
  type ComposeInput,
  type Composer,
  type Json,
  messagesRequestSchema,
  resultText,
} from "./compose-stream";

const stopReasons = { end_turn: "stop", max_tokens: "length", tool_use: "stop" };
/** Shares of the time to the first token in which the model loads, and in which it reads the prompt. */
const [loadShare, promptShare] = [0.15, 0.8];

const nanoseconds = (ms: number) => Math.round(ms * 1_000_000);

function toBody({ script, model, usage, random }: ComposeInput): Json {
  const { blocks, ending, pace } = script;
  const message: Json = { role: "assistant", content: "" };
  const calls: Json[] = [];
  for (const block of blocks) {
    if (block.type === "thinking") message.thinking = block.thinking;
    else if (block.type === "text") message.content = block.text;
    else if (block.type === "tool_use") {
      const called = { index: calls.length, name: block.name, arguments: block.input };
      calls.push({ id: block.id ?? authoredId("call_", 8, random), function: called });
    }
  }
  const evaluationMs = usage.outputTokens * pace.gap_ms[0];
  return {
    model,
    created_at: script.authored_at,
    ...(script.request.messages === undefined
      ? { response: message.content, thinking: message.thinking }
      : { message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) } }),
    done: true,
    done_reason: stopReasons[ending.stop_reason as keyof typeof stopReasons],
    total_duration: nanoseconds(pace.first_token_ms + evaluationMs),
    load_duration: nanoseconds(pace.first_token_ms * loadShare),
    prompt_eval_count: usage.inputTokens,
    prompt_eval_duration: nanoseconds(pace.first_token_ms * promptShare),
    eval_count: usage.outputTokens,
    eval_duration: nanoseconds(evaluationMs),
  };
}

export const composeOllama: Composer = {
  provider: ollama,
  requestSchema: messagesRequestSchema,
  blockTypes: ["thinking", "text", "tool_use"],
  isOneMessage: true,
  stopReasons,
  limitField: "options.num_predict",
  thinkingField: "think",
  toBody,
  answerItems: ({ message }) => [message as Json],
  resultItems: (results) =>
    results.map((result) => ({ role: "tool", tool_name: result.name, content: resultText(result) })),
};
