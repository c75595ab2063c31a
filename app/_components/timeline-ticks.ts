import { type Recording, readRecordingEvents } from "#lib/replay/cassettes/index";
import type { Tick, TickKind } from "./timeline";

/** A tick of a cassette's timeline: one chunk with its size. */
export type ChunkTick = Tick & { byteSize: number };

const kindByDelta: Record<string, TickKind> = {
  text_delta: "text",
  citations_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "tool",
};

/** If a chunk has events of several kinds, the one that is last in this list counts. */
const kindsByRank: readonly TickKind[] = ["other", "text", "thinking", "tool", "error"];
/** Length of a delta, in characters, for a tick of full height. */
const fullLength = 28;

type Json = { type?: string; delta?: Partial<Record<string, string>>; content_block?: { type?: string } };

function findKind({ type, delta, content_block: block }: Json): TickKind {
  if (type === "error") return "error";
  if (block) return /tool/.test(block.type ?? "") ? "tool" : "other";
  return kindByDelta[delta?.type ?? ""] ?? "other";
}

function findLevel({ delta = {} }: Json): number {
  const length = (delta.text ?? delta.thinking ?? delta.partial_json ?? "").length;
  return Math.min(1, 0.3 + (0.7 * length) / fullLength);
}

const ticksByRecording = new WeakMap<Recording, readonly ChunkTick[]>();

/** Returns the ticks of a recording's timeline, one per chunk. They are computed once for each recording in memory. */
export function toTicks(recording: Recording): readonly ChunkTick[] {
  const ticks = ticksByRecording.get(recording) ?? readTicks(recording);
  ticksByRecording.set(recording, ticks);
  return ticks;
}

function readTicks(recording: Recording): readonly ChunkTick[] {
  const ticks = recording.chunks.map(
    (bytes, index): ChunkTick => ({ atMs: recording.dueMs[index] as number, kind: "other", byteSize: bytes.length }),
  );
  for (const { chunk, json } of readRecordingEvents(recording)) {
    const tick = ticks[chunk];
    if (!tick || !json) continue;
    const kind = findKind(json);
    if (kindsByRank.indexOf(kind) < kindsByRank.indexOf(tick.kind)) continue;
    tick.level = Math.max(tick.kind === kind ? (tick.level ?? 0) : 0, findLevel(json));
    tick.kind = kind;
  }
  return ticks;
}
