import { type RecordedEvent, type Recording, readEvents } from "#lib/replay/cassettes/index";
import type { Tick, TickKind } from "./timeline";

/** A tick of a recording's tape: a chunk as it arrived. */
export type ChunkTick = Tick & { byteSize: number };

const kindByDelta: Record<string, TickKind> = {
  text_delta: "text",
  citations_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "tool",
};

/** Where a chunk holds several events, the kind that counts most names it. */
const ranks: readonly TickKind[] = ["other", "text", "thinking", "tool", "error"];
/** Characters of a delta that make a tick of full height. */
const fullLength = 28;

type Json = { type?: string; delta?: Partial<Record<string, string>>; content_block?: { type?: string } };

function kindOf({ type, delta, content_block: block }: Json): TickKind {
  if (type === "error") return "error";
  if (block) return /tool/.test(block.type ?? "") ? "tool" : "other";
  return kindByDelta[delta?.type ?? ""] ?? "other";
}

function levelOf({ delta = {} }: Json): number {
  const length = (delta.text ?? delta.thinking ?? delta.partial_json ?? "").length;
  return Math.min(1, 0.3 + (0.7 * length) / fullLength);
}

/** A recording's events, with their times. A recorded answer that is no stream has none. */
export function readRecordingEvents({ chunks, dueMs }: Recording): RecordedEvent[] {
  return readEvents(
    chunks.map((bytes, index) => ({ bytes, deltaMs: (dueMs[index] as number) - (dueMs[index - 1] ?? 0) })),
  );
}

/** The ticks of a recording's tape: its chunks at their times. */
export function toTicks(recording: Recording): ChunkTick[] {
  const ticks = recording.chunks.map(
    (bytes, index): ChunkTick => ({ atMs: recording.dueMs[index] as number, kind: "other", byteSize: bytes.length }),
  );
  for (const { chunk, json } of readRecordingEvents(recording)) {
    const tick = ticks[chunk];
    if (!tick || !json) continue;
    const kind = kindOf(json);
    if (ranks.indexOf(kind) < ranks.indexOf(tick.kind)) continue;
    tick.level = Math.max(tick.kind === kind ? (tick.level ?? 0) : 0, levelOf(json));
    tick.kind = kind;
  }
  return ticks;
}
