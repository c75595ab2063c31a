import { createHash } from "node:crypto";
import * as z from "zod";
import { serverSentEvent } from "#lib/replay/providers/index";
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
type AimockToolCall = z.infer<typeof toolCallSchema>;
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

/** A content block: its start, and the text of its deltas, which may be split anywhere. */
type Block = { start: Json; text: string; toDelta: (text: string) => Json; signature?: string };

/** Characters per delta if the fixture has no timings; aimock's own default. */
const defaultPieceLength = 20;

const stopReasons: Record<string, string> = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens" };

function textBlock(text: string): Block {
  return { start: { type: "text", text: "" }, text, toDelta: (piece) => ({ type: "text_delta", text: piece }) };
}

function toolBlock({ name, arguments: input, id }: AimockToolCall, seed: string): Block {
  return {
    start: { type: "tool_use", id: id ?? `toolu_${seed}`, name, input: {} },
    text: input,
    toDelta: (piece) => ({ type: "input_json_delta", partial_json: piece }),
  };
}

function leadingBlocks({ redactedThinking = [], reasoning, reasoningSignature }: AimockResponse): Block[] {
  const redacted = redactedThinking.map((data) => ({ ...textBlock(""), start: { type: "redacted_thinking", data } }));
  if (!reasoning) return redacted;
  const thinking: Block = {
    start: { type: "thinking", thinking: "", signature: "" },
    text: reasoning,
    toDelta: (piece) => ({ type: "thinking_delta", thinking: piece }),
    signature: reasoningSignature,
  };
  return [...redacted, thinking];
}

function blocksOf(response: AimockResponse, seed: string): Block[] {
  const { content, toolCalls = [], blocks } = response;
  const leading = leadingBlocks(response);
  const tool = (call: AimockToolCall, index: number) => toolBlock(call, `${seed}${index}`);
  if (blocks && blocks.length > 0) {
    const ordered = blocks.map((block, index) => (block.type === "text" ? textBlock(block.text) : tool(block, index)));
    return [...leading, ...ordered];
  }
  return [...leading, ...(content ? [textBlock(content)] : []), ...toolCalls.map(tool)];
}

function count(usage: Json | undefined, ...names: string[]): number {
  const value = names.map((name) => usage?.[name]).find((candidate) => typeof candidate === "number");
  return typeof value === "number" ? value : 0;
}

/** Returns the number of deltas per block for a given total number of events; undefined if that is impossible. */
function shareDeltas(blocks: readonly Block[], fixedCount: number, wantedCount: number): number[] | undefined {
  const lengths = blocks.map(({ text }) => [...text].length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const needed = lengths.filter((length) => length > 0).length;
  const spare = wantedCount - fixedCount - needed;
  if (spare < 0 || wantedCount - fixedCount > total) return undefined;
  // Each block with text gets one delta. The others are shared in proportion to length; the remainder of the rounding goes
  // to the first blocks that can be split further.
  const shares = lengths.map((length) =>
    length === 0 ? 0 : 1 + Math.min(length - 1, Math.floor((spare * length) / total)),
  );
  let left = wantedCount - fixedCount - shares.reduce((sum, share) => sum + share, 0);
  for (const [index, length] of lengths.entries()) {
    const added = Math.max(0, Math.min(left, length - (shares[index] ?? 0)));
    shares[index] = (shares[index] ?? 0) + added;
    left -= added;
  }
  return shares;
}

/**
 * Returns the events of a fixture. With `wantedCount`, its texts are split so that there are that many events; `fits`
 * says whether this was possible, so that each recorded time has its event.
 */
export function aimockEvents(
  fixture: AimockFixture,
  wantedCount: number | undefined,
): { pieces: EventPiece[]; fits: boolean } {
  const { response } = fixture;
  const seed = createHash("sha256").update(JSON.stringify(fixture)).digest("hex").slice(0, 24);
  const blocks = blocksOf(response, seed);
  const framing = 3 + blocks.reduce((sum, { signature }) => sum + 2 + (signature === undefined ? 0 : 1), 0);
  const shares = wantedCount === undefined ? undefined : shareDeltas(blocks, framing, wantedCount);
  const outputTokens = count(response.usage, "output_tokens", "completion_tokens");
  const events: Json[] = [{ type: "message_start", message: startOf(fixture, seed) }];
  for (const [index, { start, text, toDelta, signature }] of blocks.entries()) {
    const pieceCount = shares?.[index] ?? Math.ceil([...text].length / defaultPieceLength);
    const deltas = cutText(text, pieceCount).map(toDelta);
    if (signature !== undefined) deltas.push({ type: "signature_delta", signature });
    events.push({ type: "content_block_start", index, content_block: start });
    events.push(...deltas.map((delta) => ({ type: "content_block_delta", index, delta })));
    events.push({ type: "content_block_stop", index });
  }
  const stopReason = stopReasonOf(response, blocks);
  events.push({
    type: "message_delta",
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: outputTokens },
  });
  events.push({ type: "message_stop" });
  const pieces = splitEvents(Buffer.from(events.map((event) => serverSentEvent(event, String(event.type))).join("")));
  return { pieces, fits: wantedCount !== undefined && pieces.length === wantedCount };
}

function stopReasonOf({ finishReason }: AimockResponse, blocks: readonly Block[]): string {
  if (finishReason !== undefined) return stopReasons[finishReason] ?? finishReason;
  return blocks.some(({ start }) => start.type === "tool_use") ? "tool_use" : "end_turn";
}

function startOf({ response, match }: AimockFixture, seed: string): Json {
  return {
    id: response.id ?? `msg_${seed}`,
    type: "message",
    role: "assistant",
    model: response.model ?? match.model ?? "unknown",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: count(response.usage, "input_tokens", "prompt_tokens"), output_tokens: 0 },
  };
}

/** Splits a text into pieces of about equal length, never inside a character. */
function cutText(text: string, pieceCount: number): string[] {
  const characters = [...text];
  const count = Math.min(pieceCount, characters.length);
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * characters.length) / count);
    const to = Math.floor(((index + 1) * characters.length) / count);
    return characters.slice(from, to).join("");
  });
}
