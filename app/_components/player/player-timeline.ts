import type { TickKind } from "../timeline";
import type { ChunkTick } from "../timeline-ticks";

/** When each chunk came, of what kind it is and how large: what the player's clock runs on. Ordered by time. */
export type PlayerTimeline = {
  durationMs: number;
  atMs: readonly number[];
  byteSizes: readonly number[];
  kinds: readonly TickKind[];
};

/** As precise as a cassette is. */
function microseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** A tape's ticks as they are sent to the browser. */
export function toPlayerTimeline(ticks: readonly ChunkTick[], durationMs: number): PlayerTimeline {
  return {
    durationMs: microseconds(durationMs),
    atMs: ticks.map(({ atMs }) => microseconds(atMs)),
    byteSizes: ticks.map(({ byteSize }) => byteSize),
    kinds: ticks.map(({ kind }) => kind),
  };
}

/** How many of the ascending times have come by then. */
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

/** Number of the chunk nearest to a moment. */
export function nearestChunk(atMs: readonly number[], positionMs: number): number {
  const next = countUntil(atMs, positionMs);
  const before = positionMs - (atMs[next - 1] ?? Number.NEGATIVE_INFINITY);
  const after = (atMs[next] ?? Number.POSITIVE_INFINITY) - positionMs;
  return before <= after ? next - 1 : next;
}

/** Seconds with as many digits as the millisecond needs. */
export function seconds(ms: number, digits = 1): string {
  return (ms / 1_000).toFixed(digits);
}

/** A chunk in words: `chunk 81 of 211 · 4.203 s · 31 ms after the one before · 164 bytes · text`. */
export function describeChunk({ atMs, byteSizes, kinds }: PlayerTimeline, chunk: number): string {
  const at = atMs[chunk];
  if (at === undefined) return "Before the first chunk";
  const deltaMs = at - (atMs[chunk - 1] ?? 0);
  const delay = chunk === 0 ? "after the request" : `+${Math.round(deltaMs)} ms`;
  const kind = kinds[chunk] === "other" ? "" : ` · ${kinds[chunk]}`;
  return `chunk ${chunk + 1} of ${atMs.length} · ${seconds(at, 3)} s · ${delay} · ${byteSizes[chunk]} bytes${kind}`;
}
