import * as z from "zod";
import { openaiResponses } from "#lib/replay/providers/index";
import { textOf } from "./block-text";
import {
  authoredHexId,
  authoredId,
  authoredSeconds,
  type ComposeInput,
  type Composer,
  fakeOpaque,
  type Json,
  resultText,
  streamReason,
} from "./compose-stream";
import type { ScriptBlock } from "./script";

const stopReasons = { end_turn: "completed", max_tokens: "incomplete", tool_use: "completed", refusal: "completed" };
const encryptedByteLength = 180;

function toItem(block: ScriptBlock, status: string, { script, random }: ComposeInput): Json {
  const text = textOf(block);
  if (block.type === "tool_use") {
    const call_id = block.id ?? authoredId("call_", 24, random);
    return {
      id: authoredHexId("fc_", random),
      type: "function_call",
      status,
      arguments: text,
      call_id,
      name: block.name,
    };
  }
  if (block.type === "thinking") {
    const isEncrypted = [script.request.include].flat().includes("reasoning.encrypted_content");
    const encrypted = isEncrypted ? { encrypted_content: fakeOpaque(encryptedByteLength, random) } : {};
    return {
      id: authoredHexId("rs_", random),
      type: "reasoning",
      ...encrypted,
      summary: [{ type: "summary_text", text }],
    };
  }
  const part =
    block.type === "refusal"
      ? { type: "refusal", refusal: text }
      : { type: "output_text", text, annotations: [], logprobs: [] };
  return { id: authoredHexId("msg_", random), type: "message", status, content: [part], role: "assistant" };
}

function toBody(input: ComposeInput): Json {
  const { script, model, usage, random } = input;
  const { request, blocks, ending } = script;
  const { effort = null, summary = null } = (request.reasoning ?? {}) as Json;
  const status = ending.error ? "in_progress" : stopReasons[ending.stop_reason as keyof typeof stopReasons];
  const { inputTokens, cachedTokens, outputTokens, thinkingTokens } = usage;
  const output = blocks.map((block, index) => {
    const isCut = index === blocks.length - 1 && status === "incomplete";
    return toItem(block, isCut ? status : "completed", input);
  });
  return {
    id: authoredHexId("resp_", random),
    object: "response",
    created_at: authoredSeconds(script),
    status,
    background: false,
    error: null,
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model,
    output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort, summary },
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { format: { type: "text" }, verbosity: "medium", ...(request.text as Json | undefined) },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? "disabled",
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: cachedTokens },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: thinkingTokens },
      total_tokens: inputTokens + outputTokens,
    },
    metadata: request.metadata ?? {},
  };
}

/** OpenAI Responses. A later turn repeats the output items before it, which needs no state on the server. */
export const composeOpenaiResponses: Composer = {
  provider: openaiResponses,
  requestSchema: z.looseObject({
    input: z.union([z.string().min(1), z.array(z.looseObject({})).min(1)], {
      error: "must be a text or a list of items",
    }),
    stream: z.literal(true, { error: streamReason }),
  }),
  blockTypes: ["text", "thinking", "refusal", "tool_use"],
  isOneMessage: false,
  stopReasons,
  limitField: "max_output_tokens",
  thinkingField: "reasoning.summary",
  toBody,
  answerItems: ({ output }) => output as Json[],
  resultItems: (results) =>
    results.map((result) => ({ type: "function_call_output", call_id: result.callId, output: resultText(result) })),
};
