import type { Delta, Provider, RecordedEvent } from "#lib/replay/providers/browser";
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

type Source = {
  provider: Provider;
  /** Milliseconds from the request to each chunk. */
  dueMs: ArrayLike<number>;
  chunks: readonly Uint8Array[];
  events: readonly Pick<RecordedEvent, "chunk" | "json">[];
};

/** Returns the ticks of a recording, one per chunk. */
export function readTicks({ provider, dueMs, chunks, events }: Source): ChunkTick[] {
  const ticks = chunks.map(
    (bytes, index): ChunkTick => ({ atMs: dueMs[index] as number, kind: "other", byteSize: bytes.length }),
  );
  for (const { chunk, json } of events) {
    const tick = ticks[chunk];
    if (!tick || !json) continue;
    for (const delta of provider.readDeltas(json)) {
      const { kind } = delta;
      if (kindsByRank.indexOf(kind) < kindsByRank.indexOf(tick.kind)) continue;
      tick.level = Math.max(tick.kind === kind ? (tick.level ?? 0) : 0, levelOf(delta));
      tick.kind = kind;
    }
  }
  return ticks;
}
