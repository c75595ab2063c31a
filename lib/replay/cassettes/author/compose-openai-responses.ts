import * as z from "zod";
import { requireProvider } from "#lib/replay/providers/index";
import { obfuscation } from "./compose-openai-chat";
import {
  authoredId,
  authoredModel,
  authoredSeconds,
  briefMs,
  type ComposeInput,
  type Composer,
  fakeOpaque,
  type Json,
  type PacedBlock,
  paceBlocks,
  resultText,
  streamReason,
  type TimedEvent,
} from "./compose-stream";
import type { EstimatedUsage } from "./estimate-usage";

const stopReasons = { end_turn: "completed", max_tokens: "incomplete", tool_use: "completed", refusal: "completed" };
/** When `response.created` arrives, as a share of the time to the first token. */
const startShare = 0.3;
const encryptedByteLength = 180;

type Send = (type: string, fields: Json, gapMs: number) => void;

/** Fields of the response that are the same from the first to the last event. */
function describeResponse({ script: { request, ...script }, random }: ComposeInput): Json {
  const { effort = null, summary = null } = (request.reasoning ?? {}) as Json;
  return {
    id: authoredId("resp", random),
    object: "response",
    created_at: authoredSeconds({ request, ...script }),
    background: false,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: null,
    model: authoredModel,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort, summary },
    service_tier: "default",
    store: request.store ?? true,
    temperature: 1,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: request.tools ?? [],
    top_logprobs: 0,
    top_p: 1,
    truncation: "disabled",
    user: null,
    metadata: {},
  };
}

function describeUsage({ inputTokens, outputTokens, thinkingTokens }: EstimatedUsage): Json {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: thinkingTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

/** How a kind of block arrives: as a text of an output item, or of a part in one of the item's lists. */
type Shape = {
  /** Start of the item's id. */
  prefix: string;
  event: string;
  field: string;
  item: Json;
  /** `content` or `summary`; the names of its parts' events start with `event`. */
  list?: { name: string; event: string; indexField: string; part: Json };
};

function shapeOf({ block }: PacedBlock, { script, random }: ComposeInput): Shape {
  if (block.type === "tool_use") {
    const call_id = block.id ?? authoredId("call", random);
    const item = { type: "function_call", status: "in_progress", arguments: "", call_id, name: block.name };
    return { prefix: "fc", event: "response.function_call_arguments", field: "arguments", item };
  }
  if (block.type === "thinking") {
    const isEncrypted = ((script.request.include ?? []) as unknown[]).includes("reasoning.encrypted_content");
    const encrypted = isEncrypted ? { encrypted_content: fakeOpaque(encryptedByteLength, random) } : {};
    const event = "response.reasoning_summary_part";
    const list = { name: "summary", event, indexField: "summary_index", part: { type: "summary_text" } };
    const item = { type: "reasoning", ...encrypted, summary: [] };
    return { prefix: "rs", event: "response.reasoning_summary_text", field: "text", item, list };
  }
  const [event, field, part] =
    block.type === "refusal"
      ? ["response.refusal", "refusal", { type: "refusal" }]
      : ["response.output_text", "text", { type: "output_text", annotations: [], logprobs: [] }];
  const list = { name: "content", event: "response.content_part", indexField: "content_index", part };
  const item = { type: "message", status: "in_progress", content: [], role: "assistant" };
  return { prefix: "msg", event, field, item, list };
}

type ItemInput = { input: ComposeInput; send: Send; output_index: number; endStatus: string | null };

/** Sends the events of a block and returns its output item; with the end status null, the item stays open. */
function sendItem(paced: PacedBlock, { input, send, output_index, endStatus }: ItemInput): Json {
  const { random } = input;
  const { prefix, event, field, item: initial, list } = shapeOf(paced, input);
  const id = authoredId(prefix, random);
  const place = { item_id: id, output_index, ...(list && { [list.indexField]: 0 }) };
  const logprobs = event === "response.output_text" ? { logprobs: [] } : {};
  send("response.output_item.added", { output_index, item: { id, ...initial } }, paced.pauseMs);
  if (list) send(`${list.event}.added`, { ...place, part: { ...list.part, [field]: "" } }, 0);
  for (const { text, gapMs } of paced.pieces) {
    send(`${event}.delta`, { ...place, delta: text, ...logprobs, obfuscation: obfuscation(text, random) }, gapMs);
  }
  const text = { [field]: paced.text };
  const part = { ...list?.part, ...text };
  const status = initial.status === undefined ? {} : { status: endStatus ?? "incomplete" };
  const item = { id, ...initial, ...status, ...(list ? { [list.name]: [part] } : text) };
  if (endStatus === null) return item;
  send(`${event}.done`, { ...place, ...text, ...logprobs }, briefMs(random));
  if (list) send(`${list.event}.done`, { ...place, part }, 0);
  send("response.output_item.done", { output_index, item }, 0);
  return item;
}

function compose(input: ComposeInput): TimedEvent[] {
  const { script, usage, random } = input;
  const { pace, blocks, ending } = script;
  const events: TimedEvent[] = [];
  const send: Send = (type, fields, gapMs) => {
    const data = JSON.stringify({ type, sequence_number: events.length, ...fields });
    events.push({ gapMs, text: `event: ${type}\ndata: ${data}\n\n` });
  };
  const response = describeResponse(input);
  const open = { ...response, status: "in_progress", error: null, incomplete_details: null, output: [], usage: null };
  send("response.created", { response: open }, pace.first_token_ms * startShare);
  send("response.in_progress", { response: open }, briefMs(random));

  const status = ending.error ? "failed" : stopReasons[ending.stop_reason as keyof typeof stopReasons];
  const paced = paceBlocks(input, pace.first_token_ms * (1 - startShare));
  const output = paced.map((block, output_index) => {
    const isLast = output_index === blocks.length - 1;
    const endStatus = isLast && status === "incomplete" ? "incomplete" : "completed";
    return sendItem(block, { input, send, output_index, endStatus: isLast && ending.error ? null : endStatus });
  });
  if (ending.error) {
    const { type: code, message } = ending.error;
    const gapMs = random.between(...pace.block_pause_ms);
    send("error", { error: { type: code, code, message, param: null } }, gapMs);
    const failed = { ...open, status, error: { code, message }, output };
    send("response.failed", { response: failed }, 0);
    return events;
  }
  const incomplete_details = status === "incomplete" ? { reason: "max_output_tokens" } : null;
  const ended = { ...open, status, incomplete_details, output, usage: describeUsage(usage) };
  send(`response.${status}`, { response: ended }, random.between(4, 40));
  return events;
}

/** OpenAI Responses. A later turn repeats the output items before it, which needs no state on the server. */
export const composeOpenaiResponses: Composer = {
  provider: requireProvider("openai-responses"),
  requestSchema: z.looseObject({
    input: z.array(z.looseObject({})).min(1),
    stream: z.literal(true, { error: streamReason }),
  }),
  blockTypes: ["text", "thinking", "refusal", "tool_use"],
  isOneMessage: false,
  stopReasons,
  limitField: "max_output_tokens",
  thinkingField: "reasoning.summary",
  compose,
  answerItems: ({ output }) => output as Json[],
  resultItems: (results) =>
    results.map((result) => ({ type: "function_call_output", call_id: result.callId, output: resultText(result) })),
};
