import * as z from "zod";
import { anthropic } from "#lib/replay/providers/index";
import {
  authoredModel,
  briefMs,
  type ComposeInput,
  type Composer,
  deltaGapMs,
  type Json,
  resultText,
  streamReason,
  type TimedEvent,
} from "./compose-stream";
import { describeBlock } from "./describe-block";
import type { EstimatedUsage } from "./estimate-usage";
import type { Script } from "./script";
import type { Random } from "./seeded-random";

/** A `ping` is sent in the middle of a pause of at least this length, in milliseconds. */
const pingAfterMs = 2500;
/** When `message_start` arrives, as a share of the time to the first token. */
const startShare = 0.8;

function describeStart(usage: EstimatedUsage, random: Random): { type: string } & Json {
  return {
    type: "message_start",
    message: {
      model: authoredModel,
      id: `msg_authored_${random.letters(22)}`,
      type: "message",
      role: "assistant",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: usage.inputTokens,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: random.integer(1, 5),
        service_tier: "standard",
        inference_geo: "not_available",
      },
    },
  };
}

function describeEnd({ ending }: Script, usage: EstimatedUsage): { type: string } & Json {
  const details = ending.stop_details;
  return {
    type: "message_delta",
    delta: {
      stop_reason: ending.stop_reason,
      stop_sequence: ending.stop_sequence ?? null,
      stop_details: details ? { type: "refusal", ...details } : null,
    },
    usage: {
      input_tokens: usage.inputTokens + usage.resultTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: usage.outputTokens,
      output_tokens_details: { thinking_tokens: usage.thinkingTokens },
      ...(usage.searchCount > 0 && {
        server_tool_use: { web_search_requests: usage.searchCount, web_fetch_requests: 0 },
      }),
    },
  };
}

function compose({ script, id, usage, random }: ComposeInput): TimedEvent[] {
  const { pace, blocks, ending } = script;
  const events: TimedEvent[] = [];
  const send = (data: { type: string } & Json, gapMs: number) =>
    events.push({ gapMs, text: formatEvent(data, random) });

  send(describeStart(usage, random), pace.first_token_ms * startShare);
  let serverToolId: string | null = null;
  for (const [index, block] of blocks.entries()) {
    const { contentBlock, deltas } = describeBlock(block, { script, id, index, serverToolId, random });
    if (block.type === "server_tool_use") serverToolId = String(contentBlock.id);
    let pauseMs = block.pause_ms ?? (index === 0 ? briefMs(random) : random.between(...pace.block_pause_ms));
    if (pauseMs >= pingAfterMs) {
      events.push({ gapMs: pauseMs / 2, text: pingText });
      pauseMs /= 2;
    }
    send({ type: "content_block_start", index, content_block: contentBlock }, pauseMs);
    if (index === 0) events.push({ gapMs: 0, text: pingText });
    for (const [number, delta] of deltas.entries()) {
      const isFirst = index === 0 && number === 0;
      const gapMs = isFirst
        ? pace.first_token_ms * (1 - startShare)
        : deltaGapMs(delta.type === "thinking_delta", pace, random);
      send({ type: "content_block_delta", index, delta }, gapMs);
    }
    // A stream that ends with an error leaves its last block open.
    const isCutOff = ending.error !== undefined && index === blocks.length - 1;
    if (!isCutOff) send({ type: "content_block_stop", index }, briefMs(random));
  }
  if (ending.error) {
    const { type, message } = ending.error;
    send({ type: "error", error: { details: null, type, message } }, random.between(...pace.block_pause_ms));
    return events;
  }
  send(describeEnd(script, usage), random.between(4, 40));
  send({ type: "message_stop" }, briefMs(random));
  return events;
}

/** Most padding spaces before an event's last brace; the provider pads its events like this. */
const maxPaddingLength = 15;

/** Unlike other events, the provider writes `ping` with a space and without padding. */
const pingText = 'event: ping\ndata: {"type": "ping"}\n\n';

/** Returns an SSE event as the provider formats it: compact JSON with spaces before its last brace. */
function formatEvent(data: { type: string } & Record<string, unknown>, random: Random): string {
  const padding = " ".repeat(random.integer(0, maxPaddingLength));
  return `event: ${data.type}\ndata: ${JSON.stringify(data).slice(0, -1)}${padding}}\n\n`;
}

const messageSchema = z.looseObject({
  role: z.enum(["user", "assistant"]),
  content: z.union([z.string().min(1), z.array(z.looseObject({ type: z.string() })).min(1)]),
});

/** Anthropic Messages. */
export const composeAnthropic: Composer = {
  provider: anthropic,
  requestSchema: z.looseObject({
    max_tokens: z.int().positive(),
    messages: z.array(messageSchema).min(1),
    stream: z.literal(true, { error: streamReason }),
    tools: z.array(z.looseObject({ name: z.string().min(1) })).optional(),
    thinking: z.looseObject({ type: z.string() }).optional(),
  }),
  blockTypes: ["text", "thinking", "tool_use", "server_tool_use", "web_search_tool_result"],
  isOneMessage: false,
  stopReasons: {
    end_turn: "end_turn",
    max_tokens: "max_tokens",
    stop_sequence: "stop_sequence",
    tool_use: "tool_use",
    pause_turn: "pause_turn",
    refusal: "refusal",
  },
  limitField: "max_tokens",
  thinkingField: "thinking",
  compose,
  answerItems: ({ content }) => [{ role: "assistant", content }],
  resultItems: (results) => [
    {
      role: "user",
      content: results.map((result) => ({
        type: "tool_result",
        tool_use_id: result.callId,
        content: resultText(result),
      })),
    },
  ],
};
