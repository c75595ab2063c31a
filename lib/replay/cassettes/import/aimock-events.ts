import { createHash } from "node:crypto";
import * as z from "zod";
import { anthropic } from "#lib/replay/providers/index";
import { type EventPiece, splitEvents } from "./event-pieces";

const argumentsSchema = z.union([z.string(), z.record(z.string(), z.unknown())]).transform(toText);
const toolCallSchema = z.object({ name: z.string(), arguments: argumentsSchema, id: z.string().optional() });

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** An Anthropic response as aimock 1.43 stores it: its content, not its events. */
const aimockResponseSchema = z.looseObject({
  content: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
    .transform(toText)
    .optional(),
  toolCalls: z.array(toolCallSchema).optional(),
  blocks: z
    .array(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("text"), text: z.string() }),
        z.object({ type: z.literal("toolCall"), ...toolCallSchema.shape }),
      ]),
    )
    .optional(),
  reasoning: z.string().optional(),
  reasoningSignature: z.string().optional(),
  redactedThinking: z.array(z.string()).optional(),
  id: z.string().optional(),
  model: z.string().optional(),
  finishReason: z.string().optional(),
  usage: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ message: z.string(), type: z.string().optional() }).optional(),
  status: z.int().min(200).max(599).optional(),
});
type AimockResponse = z.infer<typeof aimockResponseSchema>;

const delaySchema = z.number().min(0);

export const aimockFixtureSchema = z.looseObject({
  match: z.looseObject({ userMessage: z.string().optional(), model: z.string().optional() }).default({}),
  response: aimockResponseSchema,
  recordedTimings: z
    .looseObject({ ttftMs: delaySchema, interChunkDelaysMs: z.array(delaySchema).max(100_000) })
    .optional(),
});
export type AimockFixture = z.infer<typeof aimockFixtureSchema>;

export const aimockFileSchema = z.looseObject({ fixtures: z.array(z.unknown()).min(1) });

type Json = Record<string, unknown>;

/** Characters per delta if the fixture has no timings; aimock's own default. */
const defaultPieceLength = 20;

const stopReasons: Record<string, string> = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens" };

function contentOf(response: AimockResponse, seed: string): Json[] {
  const { content, toolCalls = [], blocks = [], redactedThinking = [], reasoning, reasoningSignature } = response;
  const text = content ? [{ type: "text" as const, text: content }] : [];
  const given = blocks.length > 0 ? blocks : [...text, ...toolCalls.map((call) => ({ type: "toolCall", ...call }))];
  return [
    ...redactedThinking.map((data) => ({ type: "redacted_thinking", data })),
    ...(reasoning ? [{ type: "thinking", thinking: reasoning, signature: reasoningSignature ?? "" }] : []),
    ...given.map((block, index): Json => {
      if (!("name" in block)) return block;
      return { type: "tool_use", id: block.id ?? `toolu_${seed}${index}`, name: block.name, input: block.arguments };
    }),
  ];
}

function count(usage: Json | undefined, ...names: string[]): number {
  const value = names.map((name) => usage?.[name]).find((candidate) => typeof candidate === "number");
  return typeof value === "number" ? value : 0;
}

function messageOf({ response, match }: AimockFixture, seed: string): Json {
  const { usage, finishReason } = response;
  const content = contentOf(response, seed);
  const reason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  return {
    id: response.id ?? `msg_${seed}`,
    type: "message",
    role: "assistant",
    model: response.model ?? match.model ?? "unknown",
    content,
    stop_reason: finishReason === undefined ? reason : (stopReasons[finishReason] ?? finishReason),
    stop_sequence: null,
    usage: {
      input_tokens: count(usage, "input_tokens", "prompt_tokens"),
      output_tokens: count(usage, "output_tokens", "completion_tokens"),
    },
  };
}

/** Returns how many pieces each text is divided into, for a number of pieces altogether; undefined if that is impossible. */
function sharePieces(lengths: readonly number[], wantedCount: number): number[] | undefined {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const spare = wantedCount - lengths.length;
  if (spare < 0 || wantedCount > total) return undefined;
  // Each text gets one piece. The others are shared in proportion to length; the remainder of the rounding goes to the first
  // texts that can be split further.
  const shares = lengths.map((length) => 1 + Math.min(length - 1, Math.floor((spare * length) / total)));
  let left = wantedCount - shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share, index) => {
    const added = Math.min(left, (lengths[index] as number) - share);
    left -= added;
    return share + added;
  });
}

/**
 * Returns the events of a fixture. With `wantedCount`, its texts are split so that there are that many events; `fits`
 * says whether this was possible, so that each recorded time has its event.
 */
export function aimockEvents(
  fixture: AimockFixture,
  wantedCount: number | undefined,
): { pieces: EventPiece[]; fits: boolean } {
  const message = messageOf(fixture, createHash("sha256").update(JSON.stringify(fixture)).digest("hex").slice(0, 24));
  const lengths: number[] = [];
  const { events: others } = anthropic.unfold(message, (text) => {
    if (text !== "") lengths.push([...text].length);
    return [];
  });
  const shares = wantedCount === undefined ? undefined : sharePieces(lengths, wantedCount - others.length);
  const pieceCounts = shares ?? lengths.map((length) => Math.ceil(length / defaultPieceLength));
  const { events } = anthropic.unfold(message, (text) => (text === "" ? [] : cutText(text, pieceCounts.shift() ?? 1)));
  return { pieces: splitEvents(Buffer.from(events.join(""))), fits: shares !== undefined };
}

/** Splits a text into pieces of about equal length, never inside a character. */
function cutText(text: string, count: number): string[] {
  const characters = [...text];
  const startOf = (index: number) => Math.floor((index * characters.length) / count);
  return Array.from({ length: count }, (_, index) => characters.slice(startOf(index), startOf(index + 1)).join(""));
}
