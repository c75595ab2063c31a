import * as z from "zod";
import { requireProvider } from "#lib/replay/providers/index";
import {
  authoredId,
  authoredModel,
  authoredSeconds,
  briefMs,
  type ComposeInput,
  type Composer,
  type Json,
  paceBlocks,
  resultText,
  streamReason,
  type TimedEvent,
} from "./compose-stream";
import type { EstimatedUsage } from "./estimate-usage";
import type { Random } from "./seeded-random";

const stopReasons = { end_turn: "stop", max_tokens: "length", tool_use: "tool_calls", refusal: "stop" };

function describeUsage({ inputTokens, outputTokens }: EstimatedUsage): Json {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** Length up to which OpenAI pads a delta, so that the size of an event does not reveal its text. */
const paddedLength = 16;

/** Returns the padding that OpenAI adds to an event with a piece of text. */
export function obfuscation(text: string, random: Random): string {
  return random.letters(Math.max(0, paddedLength - text.length));
}

function compose(input: ComposeInput): TimedEvent[] {
  const { script, usage, random } = input;
  const { pace, blocks, ending, request } = script;
  const events: TimedEvent[] = [];
  const hasUsage = (request.stream_options as Json | undefined)?.include_usage === true;
  const head = {
    id: authoredId("chatcmpl", random),
    object: "chat.completion.chunk",
    created: authoredSeconds(script),
    model: authoredModel,
    service_tier: "default",
    system_fingerprint: null,
  };
  const write = (data: unknown, gapMs: number) =>
    events.push({ gapMs, text: `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n` });
  const send = (choices: Json[], padding: string, gapMs: number, totals: Json | null = null) =>
    write({ ...head, choices, ...(hasUsage && { usage: totals }), obfuscation: padding }, gapMs);
  const sendDelta = (delta: Json, text: string, gapMs: number, finish_reason: string | null = null) =>
    send([{ index: 0, delta, logprobs: null, finish_reason }], obfuscation(text, random), gapMs);

  const content = blocks[0]?.type === "text" ? "" : null;
  sendDelta({ role: "assistant", content, refusal: null }, "", pace.first_token_ms);
  let callCount = 0;
  for (const { block, pauseMs, pieces } of paceBlocks(input, briefMs(random))) {
    if (block.type === "tool_use") {
      const index = callCount++;
      const id = block.id ?? authoredId("call", random);
      const start = { index, id, type: "function", function: { name: block.name, arguments: "" } };
      sendDelta({ tool_calls: [start] }, block.name, pauseMs);
      for (const { text, gapMs } of pieces) {
        sendDelta({ tool_calls: [{ index, function: { arguments: text } }] }, text, gapMs);
      }
      continue;
    }
    const field = block.type === "refusal" ? "refusal" : "content";
    for (const [number, { text, gapMs }] of pieces.entries()) {
      sendDelta({ [field]: text }, text, number === 0 ? pauseMs + gapMs : gapMs);
    }
  }
  if (ending.error) {
    const { type, message } = ending.error;
    write({ error: { message, type, param: null, code: null } }, random.between(...pace.block_pause_ms));
    return events;
  }
  sendDelta({}, "", briefMs(random), stopReasons[ending.stop_reason as keyof typeof stopReasons]);
  if (hasUsage) send([], obfuscation("", random), random.between(1, 20), describeUsage(usage));
  write("[DONE]", 0);
  return events;
}

/** OpenAI Chat Completions. */
export const composeOpenaiChat: Composer = {
  provider: requireProvider("openai-chat"),
  requestSchema: z.looseObject({
    messages: z.array(z.looseObject({ role: z.string() })).min(1),
    stream: z.literal(true, { error: streamReason }),
  }),
  blockTypes: ["text", "refusal", "tool_use"],
  isOneMessage: true,
  stopReasons,
  limitField: "max_completion_tokens",
  thinkingField: "reasoning_effort",
  compose,
  answerItems: ({ choices }) => (choices as { message: Json }[]).map(({ message }) => message),
  resultItems: (results) =>
    results.map((result) => ({ role: "tool", tool_call_id: result.callId, content: resultText(result) })),
};
