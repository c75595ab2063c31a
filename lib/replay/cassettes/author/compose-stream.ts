import type { TimedChunk } from "#lib/replay/providers/index";
import { describeBlock } from "./describe-block";
import { type EstimatedUsage, estimateUsage } from "./estimate-usage";
import type { Pace, Script } from "./script";
import type { Random } from "./seeded-random";

type Json = Record<string, unknown>;

/** Model name of every authored cassette. */
export const authoredModel = "tapedeck-authored";
/** A `ping` is sent in the middle of a pause of at least this length, in milliseconds. */
const pingAfterMs = 2500;
/** When `message_start` arrives, as a share of the time to the first token. */
const startShare = 0.8;

/** An SSE event and the milliseconds since the previous event; 0 means in the same chunk. */
type TimedEvent = { gapMs: number; text: string };

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

function deltaGapMs(delta: Json, pace: Pace, random: Random): number {
  if (random.chance(pace.joined_share)) return 0;
  const gapMs = random.skewed(...pace.gap_ms);
  const pauses = delta.type === "thinking_delta" && random.chance(1 / pace.thinking_pause_every);
  return pauses ? gapMs + random.between(...pace.thinking_pause_ms) : gapMs;
}

/** Returns the events of a script's stream, each with its delay. Throws ScriptError. */
export function composeStream(script: Script, id: string, random: Random): TimedEvent[] {
  const { pace, blocks, ending } = script;
  const usage = estimateUsage(script, id);
  const events: TimedEvent[] = [];
  const send = (data: { type: string } & Json, gapMs: number) =>
    events.push({ gapMs, text: formatEvent(data, random) });
  const briefMs = () => (random.chance(0.5) ? 0 : random.between(0.2, 3));

  send(describeStart(usage, random), pace.first_token_ms * startShare);
  let serverToolId: string | null = null;
  for (const [index, block] of blocks.entries()) {
    const { contentBlock, deltas } = describeBlock(block, { script, id, index, serverToolId, random });
    if (block.type === "server_tool_use") serverToolId = String(contentBlock.id);
    let pauseMs = block.pause_ms ?? (index === 0 ? briefMs() : random.between(...pace.block_pause_ms));
    if (pauseMs >= pingAfterMs) {
      events.push({ gapMs: pauseMs / 2, text: pingText });
      pauseMs /= 2;
    }
    send({ type: "content_block_start", index, content_block: contentBlock }, pauseMs);
    if (index === 0) events.push({ gapMs: 0, text: pingText });
    for (const [number, delta] of deltas.entries()) {
      const isFirst = index === 0 && number === 0;
      const gapMs = isFirst ? pace.first_token_ms * (1 - startShare) : deltaGapMs(delta, pace, random);
      send({ type: "content_block_delta", index, delta }, gapMs);
    }
    // A stream that ends with an error leaves its last block open.
    const isCutOff = ending.error !== undefined && index === blocks.length - 1;
    if (!isCutOff) send({ type: "content_block_stop", index }, briefMs());
  }
  if (ending.error) {
    const { type, message } = ending.error;
    send({ type: "error", error: { details: null, type, message } }, random.between(...pace.block_pause_ms));
    return events;
  }
  send(describeEnd(script, usage), random.between(4, 40));
  send({ type: "message_stop" }, briefMs());
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

/** Share of the chunks that are split in two if the script splits at bytes. */
const cutShare = 0.6;
/** Share of the splits that are inside a multi-byte character, if the chunk has one. */
const innerCutShare = 0.8;

/** Joins events that arrive together into one chunk. */
export function joinEvents(events: readonly TimedEvent[]): TimedChunk[] {
  const groups: { deltaMs: number; texts: string[] }[] = [];
  for (const { gapMs, text } of events) {
    const last = groups.at(-1);
    if (last && gapMs === 0) last.texts.push(text);
    else groups.push({ deltaMs: gapMs, texts: [text] });
  }
  return groups.map(({ deltaMs, texts }) => ({ deltaMs, bytes: Buffer.from(texts.join(""), "utf8") }));
}

function pickCut(bytes: Uint8Array, random: Random): number {
  const inner = [...bytes.keys()].filter((position) => position > 0 && ((bytes[position] ?? 0) & 0xc0) === 0x80);
  const usesInner = inner.length > 0 && random.chance(innerCutShare);
  return usesInner ? (inner[random.integer(0, inner.length - 1)] ?? 1) : random.integer(1, bytes.length - 1);
}

/**
 * Splits chunks at arbitrary bytes, as a network does. The rest of a chunk arrives a moment later by itself, or with the
 * next chunk. The concatenated bytes stay the same.
 */
export function splitChunks(chunks: readonly TimedChunk[], random: Random): TimedChunk[] {
  const pieces: TimedChunk[] = [];
  let rest: Uint8Array = new Uint8Array();
  for (const [index, chunk] of chunks.entries()) {
    const bytes = Buffer.concat([rest, chunk.bytes]);
    rest = new Uint8Array();
    if (index === chunks.length - 1 || bytes.length < 2 || !random.chance(cutShare)) {
      pieces.push({ deltaMs: chunk.deltaMs, bytes });
      continue;
    }
    const cut = pickCut(bytes, random);
    pieces.push({ deltaMs: chunk.deltaMs, bytes: bytes.subarray(0, cut) });
    if (random.chance(0.5)) pieces.push({ deltaMs: random.between(0.3, 4), bytes: bytes.subarray(cut) });
    else rest = bytes.subarray(cut);
  }
  return pieces;
}
