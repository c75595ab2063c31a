import { createHash } from "node:crypto";
import * as z from "zod";
import { errorEvent, framingOf, type Provider, readEvents, type TimedChunk } from "#lib/replay/providers/index";
import { textOf } from "./block-text";
import type { EstimatedUsage } from "./estimate-usage";
import type { Pace, Script, ScriptBlock, StopReason } from "./script";
import type { Random } from "./seeded-random";
import { splitBursts, splitTokens } from "./tokens";

export type Json = Record<string, unknown>;

/** Model name of every authored cassette. */
export const authoredModel = "tapedeck-authored";

/** What a request without `stream` lacks. */
export const streamReason = "must be true: a cassette is a stream";

/** A request with messages of any form. */
export const messagesRequestSchema = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.literal(true, { error: streamReason }),
});

/** An event of a stream and the milliseconds since the previous event; 0 means in the same chunk. */
export type TimedEvent = { gapMs: number; text: string };

/** A script with its complete request: that of a later turn contains the turns before. `model` is the name in the answer. */
export type ComposeInput = { script: Script; id: string; model: string; usage: EstimatedUsage; random: Random };

/** A tool call of the turn before, and what the script says that the tool returned. */
export type ToolResult = { callId: string; name: string; output: string | Json };

/** What the author knows about one provider's protocol. */
export type Composer = {
  provider: Provider;
  /** Returns what the complete request also asks for. */
  addToRequest?: (request: Json) => Json;
  /** Checks the complete request. */
  requestSchema: z.ZodType<Json>;
  blockTypes: readonly ScriptBlock["type"][];
  /** Whether an answer is one message, which has each kind of block once, in the order of `blockTypes`, and any number of tool calls. */
  isOneMessage: boolean;
  /** The provider's name for each way to end. */
  stopReasons: Partial<Record<StopReason, string>>;
  /** Field of the request, in dots, that limits the length of an answer. */
  limitField: string;
  /** Field of the request, in dots, that asks for thinking. */
  thinkingField: string;
  /** Returns the answer as the same call would return it without streaming. Throws ScriptError. */
  toBody: (input: ComposeInput) => Json;
  /** Returns what a client appends to its history for an answer. */
  answerItems: (body: Json) => Json[];
  /** Returns what a client appends to its history for the results of tools. */
  resultItems: (results: readonly ToolResult[]) => Json[];
};

/** Returns the value of a field in dots, such as `generationConfig.maxOutputTokens`. */
export function readField(value: Json, field: string): unknown {
  return field.split(".").reduce<unknown>((parent, name) => (parent as Json | undefined | null)?.[name], value);
}

export function resultText({ output }: ToolResult): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

/** Returns a random id in the form of a provider's: its start, and letters and digits. Uses as many random values whatever its length. */
export function authoredId(start: string, length: number, random: Random): string {
  const letters = random.letters(20);
  return start + (letters + createHash("sha256").update(letters).digest("hex")).slice(0, length);
}

/** Returns a random id with hexadecimal digits, as OpenAI's Responses have. */
export function authoredHexId(start: string, random: Random): string {
  return start + createHash("sha256").update(random.letters(20)).digest("hex").slice(0, 50);
}

/** Returns the time of a script in seconds since 1970. */
export function authoredSeconds({ authored_at }: Script): number {
  return Math.floor(Date.parse(authored_at) / 1000);
}

/**
 * Returns random base64 in place of a signature or encrypted content. It decodes to text that starts with
 * `tapedeck-authored:`, because no provider signed or encrypted anything.
 */
export function fakeOpaque(byteLength: number, random: Random): string {
  return Buffer.concat([Buffer.from("tapedeck-authored:"), random.bytes(byteLength)]).toString("base64");
}

/** When the first event arrives, as a share of the time to the first token, if it has no token. */
const startShare = 0.8;

/** Returns a delay that is zero half of the time, like that of events which a server sends together. */
function briefMs(random: Random): number {
  return random.chance(0.5) ? 0 : random.between(0.2, 3);
}

/** Returns the delay before a delta; one with many tokens takes as long as several. */
function deltaGapMs(text: string, isThinking: boolean, pace: Pace, random: Random): number {
  const count = Math.ceil(splitTokens(text).length / pace.tokens_per_burst[1]);
  if (count <= 1 && random.chance(pace.joined_share)) return 0;
  const gaps = Array.from({ length: Math.max(1, count) }, () => random.skewed(...pace.gap_ms));
  const pauses = isThinking && random.chance(1 / pace.thinking_pause_every);
  return gaps.reduce((sum, gapMs) => sum + gapMs, pauses ? random.between(...pace.thinking_pause_ms) : 0);
}

/** Returns a function that tells when each event of an answer arrives, at the pace of the script. */
function timer({ provider }: Composer, { script: { pace, blocks }, random }: ComposeInput) {
  const framing = framingOf(provider.stream.contentType);
  let next = 0;
  /** Characters of the current block that have not arrived. */
  let left = 0;
  return (text: string, index: number): TimedEvent & { isText: boolean } => {
    const [event] = readEvents([{ deltaMs: 0, bytes: Buffer.from(text) }], framing);
    const [delta] = event?.json ? provider.readDeltas(event.json) : [];
    if (!delta?.text) {
      return { text, isText: false, gapMs: index === 0 ? pace.first_token_ms * startShare : briefMs(random) };
    }
    const isFirst = next === 0;
    let gapMs = isFirst ? pace.first_token_ms * (index === 0 ? 1 : 1 - startShare) : 0;
    for (let block = blocks[next]; left <= 0 && block; block = blocks[next]) {
      gapMs += block.pause_ms ?? (next === 0 ? 0 : random.between(...pace.block_pause_ms));
      left = textOf(block).length;
      next += 1;
    }
    left -= delta.text.length;
    const isThinking = delta.kind === "thinking";
    return { text, isText: true, gapMs: gapMs + (isFirst ? 0 : deltaGapMs(delta.text, isThinking, pace, random)) };
  };
}

/** Returns the events of a script's stream. An error leaves its last block open. Throws ScriptError. */
export function composeEvents(composer: Composer, input: ComposeInput): TimedEvent[] {
  const { script, random } = input;
  const { provider } = composer;
  const { pace, ending } = script;
  const split = (text: string) => splitBursts(text, pace.tokens_per_burst, random);
  const events = provider.unfold(composer.toBody(input), split).events.map(timer(composer, input));
  if (!ending.error) return events;
  const { type: code, message } = ending.error;
  const status = provider.statusOf({ error: { type: code, code, status: code } });
  const begun = events.slice(0, events.findLastIndex(({ isText }) => isText) + 1);
  const before = readEvents([{ deltaMs: 0, bytes: Buffer.from(begun.map(({ text }) => text).join("")) }], "sse");
  const text = errorEvent(provider, { status, message, code, requestId: authoredId("req_", 24, random) }, before);
  return [...begun, { text, gapMs: random.between(...pace.block_pause_ms) }];
}

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
