import type { ChunkTick } from "../chunk-ticks";
import type { TickKind } from "../timeline";

/** The time, size and kind of each chunk, in chronological order: the data that the player's clock needs. */
export type PlayerTimeline = {
  durationMs: number;
  atMs: readonly number[];
  byteSizes: readonly number[];
  kinds: readonly TickKind[];
};

/** Rounds to microseconds, the precision of a cassette. */
export function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** Converts a timeline's ticks to the format that is sent to the browser. */
export function toPlayerTimeline(ticks: readonly ChunkTick[], durationMs: number): PlayerTimeline {
  return {
    durationMs: roundToMicroseconds(durationMs),
    atMs: ticks.map(({ atMs }) => roundToMicroseconds(atMs)),
    byteSizes: ticks.map(({ byteSize }) => byteSize),
    kinds: ticks.map(({ kind }) => kind),
  };
}

/** Counts the times that are not after a position. The times must be ascending. */
export function countUntil(atMs: readonly number[], positionMs: number): number {
  let low = 0;
  let high = atMs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((atMs[middle] as number) <= positionMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the number of the chunk that is nearest to a position. */
export function nearestChunk(atMs: readonly number[], positionMs: number): number {
  const next = countUntil(atMs, positionMs);
  const before = positionMs - (atMs[next - 1] ?? Number.NEGATIVE_INFINITY);
  const after = (atMs[next] ?? Number.POSITIVE_INFINITY) - positionMs;
  return before <= after ? next - 1 : next;
}

/** Formats milliseconds as seconds. */
export function formatSeconds(ms: number, digits = 1): string {
  return (ms / 1_000).toFixed(digits);
}

/** Describes a chunk: `chunk 81 of 211 · 4.203 s · +31 ms · 164 bytes · text`. */
export function describeChunk({ atMs, byteSizes, kinds }: PlayerTimeline, chunk: number): string {
  const at = atMs[chunk];
  if (at === undefined) return "Before the first chunk";
  const deltaMs = at - (atMs[chunk - 1] ?? 0);
  const delay = chunk === 0 ? "after the request" : `+${Math.round(deltaMs)} ms`;
  const kind = kinds[chunk] === "other" ? "" : ` · ${kinds[chunk]}`;
  return `chunk ${chunk + 1} of ${atMs.length} · ${formatSeconds(at, 3)} s · ${delay} · ${byteSizes[chunk]} bytes${kind}`;
}
