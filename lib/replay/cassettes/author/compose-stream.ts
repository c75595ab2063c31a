import type * as z from "zod";
import type { Provider, TimedChunk } from "#lib/replay/providers/index";
import type { EstimatedUsage } from "./estimate-usage";
import type { Pace, Script, ScriptBlock, StopReason } from "./script";
import type { Random } from "./seeded-random";
import { splitBursts } from "./tokens";

export type Json = Record<string, unknown>;

/** Model name of every authored cassette. */
export const authoredModel = "tapedeck-authored";

/** What a request without `stream` lacks. */
export const streamReason = "must be true: a cassette is a stream";

/** An event of a stream and the milliseconds since the previous event; 0 means in the same chunk. */
export type TimedEvent = { gapMs: number; text: string };

/** A script with its complete request: that of a later turn contains the turns before. */
export type ComposeInput = { script: Script; id: string; usage: EstimatedUsage; random: Random };

/** A tool call of the turn before, and what the script says that the tool returned. */
export type ToolResult = { callId: string; name: string; output: string | Json };

/** What the author knows about one provider's protocol. */
export type Composer = {
  provider: Provider;
  /** Checks the complete request. */
  requestSchema: z.ZodType<Json>;
  /** Kinds of blocks that an answer can have. */
  blockTypes: readonly ScriptBlock["type"][];
  /** Whether an answer is one message, which has each kind of block once, in the order of `blockTypes`, and any number of tool calls. */
  isOneMessage: boolean;
  /** The provider's name for each way to end. */
  stopReasons: Partial<Record<StopReason, string>>;
  /** Field of the request, in dots, that limits the length of an answer. */
  limitField: string;
  /** Field of the request, in dots, that asks for thinking. */
  thinkingField: string;
  /** Returns the events of a script's stream. Throws ScriptError. */
  compose: (input: ComposeInput) => TimedEvent[];
  /** Returns what a client appends to its history for an answer. */
  answerItems: (body: Json) => Json[];
  /** Returns what a client appends to its history for the results of tools. */
  resultItems: (results: readonly ToolResult[]) => Json[];
};

/** Returns the value of a field in dots, such as `generationConfig.maxOutputTokens`. */
export function readField(value: Json, field: string): unknown {
  return field.split(".").reduce<unknown>((parent, name) => (parent as Json | undefined | null)?.[name], value);
}

/** Returns the result of a tool as text. */
export function resultText({ output }: ToolResult): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

/** Returns a random id that shows that it is authored: `call_authored_…`. */
export function authoredId(prefix: string, random: Random): string {
  return `${prefix}_authored_${random.letters(20)}`;
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

/** Returns a delay that is zero half of the time, like that of events which a server sends together. */
export function briefMs(random: Random): number {
  return random.chance(0.5) ? 0 : random.between(0.2, 3);
}

/** Returns the delay before a delta. */
export function deltaGapMs(isThinking: boolean, pace: Pace, random: Random): number {
  if (random.chance(pace.joined_share)) return 0;
  const gapMs = random.skewed(...pace.gap_ms);
  const pauses = isThinking && random.chance(1 / pace.thinking_pause_every);
  return pauses ? gapMs + random.between(...pace.thinking_pause_ms) : gapMs;
}

/** A block with the delay before it, and its text in pieces with theirs. */
export type PacedBlock = { block: ScriptBlock; pauseMs: number; pieces: TimedEvent[]; text: string };

function textOf(block: ScriptBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "refusal":
      return block.refusal;
    case "tool_use":
      return JSON.stringify(block.input);
    default:
      throw new Error(`A block of type ${block.type} has no text.`);
  }
}

/** Divides a script's blocks into pieces. The first piece comes `firstGapMs` after what is before it. */
export function paceBlocks({ script, random }: ComposeInput, firstGapMs: number): PacedBlock[] {
  const { pace, blocks } = script;
  return blocks.map((block, index) => {
    const text = textOf(block);
    const pauseMs = block.pause_ms ?? (index === 0 ? 0 : random.between(...pace.block_pause_ms));
    const pieces = splitBursts(text, pace.tokens_per_burst, random).map((piece, number) => ({
      gapMs: index + number === 0 ? firstGapMs : deltaGapMs(block.type === "thinking", pace, random),
      text: piece,
    }));
    return { block, pauseMs, pieces, text };
  });
}

/** Returns how long the pieces take together, for what a provider sends in one event. */
export function totalGapMs({ pauseMs, pieces }: PacedBlock): number {
  return pieces.reduce((sum, { gapMs }) => sum + gapMs, pauseMs);
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
