import * as z from "zod";
import { requireProvider } from "#lib/replay/providers/index";
import {
  authoredId,
  authoredModel,
  type ComposeInput,
  type Composer,
  type Json,
  paceBlocks,
  resultText,
  streamReason,
  type TimedEvent,
  totalGapMs,
} from "./compose-stream";

const stopReasons = { end_turn: "stop", max_tokens: "length", tool_use: "stop" };
/** Share of the time to the first token that the model takes to load, and that it takes to read the prompt. */
const loadShare = 0.15;
const promptShare = 0.8;
const microsecondsPerMs = 1_000;
const nanosecondsPerMs = 1_000_000;

/** Returns a time in the format of Ollama, with microseconds. */
function formatTime(startMs: number, elapsedMs: number): string {
  const microseconds = Math.round(elapsedMs * microsecondsPerMs);
  const second = new Date(startMs + Math.floor(microseconds / microsecondsPerMs)).toISOString().slice(0, -1);
  return `${second}${String(microseconds % microsecondsPerMs).padStart(3, "0")}Z`;
}

type TimedMessage = { message: Json; gapMs: number };

/** Messages with the delay before each. Calls arrive with all of their arguments, in one message each. */
function toMessages(input: ComposeInput): TimedMessage[] {
  let callCount = 0;
  return paceBlocks(input, input.script.pace.first_token_ms).flatMap((paced): TimedMessage[] => {
    const { block, pauseMs, pieces } = paced;
    if (block.type === "tool_use") {
      const called = { index: callCount++, name: block.name, arguments: block.input };
      const call = { id: block.id ?? authoredId("call", input.random), function: called };
      return [{ message: { role: "assistant", content: "", tool_calls: [call] }, gapMs: totalGapMs(paced) }];
    }
    return pieces.map(({ text, gapMs }, index) => ({
      message:
        block.type === "thinking"
          ? { role: "assistant", content: "", thinking: text }
          : { role: "assistant", content: text },
      gapMs: index === 0 ? pauseMs + gapMs : gapMs,
    }));
  });
}

function compose(input: ComposeInput): TimedEvent[] {
  const { script, usage, random } = input;
  const { ending, pace } = script;
  const startMs = Date.parse(script.authored_at);
  const events: TimedEvent[] = [];
  let elapsedMs = 0;
  const line = (fields: Json, gapMs: number) => {
    elapsedMs += gapMs;
    const created_at = formatTime(startMs, elapsedMs);
    events.push({ gapMs, text: `${JSON.stringify({ model: authoredModel, created_at, ...fields })}\n` });
  };
  for (const { message, gapMs } of toMessages(input)) line({ message, done: false }, gapMs);
  const lastGapMs = random.between(...pace.gap_ms);
  if (ending.error) {
    events.push({ gapMs: lastGapMs, text: `${JSON.stringify({ error: ending.error.message })}\n` });
    return events;
  }
  const nanoseconds = (ms: number) => Math.round(ms * nanosecondsPerMs);
  const counts = {
    done: true,
    done_reason: stopReasons[ending.stop_reason as keyof typeof stopReasons],
    total_duration: nanoseconds(elapsedMs + lastGapMs),
    load_duration: nanoseconds(pace.first_token_ms * loadShare),
    prompt_eval_count: usage.inputTokens,
    prompt_eval_duration: nanoseconds(pace.first_token_ms * promptShare),
    eval_count: usage.outputTokens,
    eval_duration: nanoseconds(elapsedMs + lastGapMs - pace.first_token_ms),
  };
  line({ message: { role: "assistant", content: "" }, ...counts }, lastGapMs);
  return events;
}

/** Ollama. */
export const composeOllama: Composer = {
  provider: requireProvider("ollama"),
  requestSchema: z.looseObject({
    messages: z.array(z.looseObject({ role: z.string() })).min(1),
    stream: z.literal(true, { error: streamReason }),
  }),
  blockTypes: ["thinking", "text", "tool_use"],
  isOneMessage: true,
  stopReasons,
  limitField: "options.num_predict",
  thinkingField: "think",
  compose,
  answerItems: ({ message }) => [message as Json],
  resultItems: (results) =>
    results.map((result) => ({ role: "tool", tool_name: result.name, content: resultText(result) })),
};
