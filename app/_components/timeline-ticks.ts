import { type Recording, readRecordingEvents } from "#lib/replay/cassettes/index";
import type { Delta } from "#lib/replay/providers/index";
import type { Tick, TickKind } from "./timeline";

/** A tick of a cassette's timeline: one chunk with its size. */
export type ChunkTick = Tick & { byteSize: number };

/** If a chunk has events of several kinds, the one that is last in this list counts. */
const kindsByRank: readonly TickKind[] = ["other", "text", "thinking", "tool", "error"];
/** Length of a delta, in characters, for a tick of full height. */
const fullLength = 28;

function levelOf({ text }: Delta): number {
  return Math.min(1, 0.3 + (0.7 * text.length) / fullLength);
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
    for (const delta of recording.provider.readDeltas(json)) {
      const { kind } = delta;
      if (kindsByRank.indexOf(kind) < kindsByRank.indexOf(tick.kind)) continue;
      tick.level = Math.max(tick.kind === kind ? (tick.level ?? 0) : 0, levelOf(delta));
      tick.kind = kind;
    }
  }
  return ticks;
}
