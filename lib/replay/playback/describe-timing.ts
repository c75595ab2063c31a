import { type Recording, readRecordingEvents } from "#lib/replay/cassettes/index";
import type { Provider, RecordedEvent } from "#lib/replay/providers/index";

/** A gap between two chunks. */
export type Pause = { fromMs: number; pauseMs: number };

/** Statistics about the arrival of a recording's chunks. */
export type Timing = {
  /** Milliseconds from the request to the first chunk. */
  firstChunkMs: number;
  /** Milliseconds to the first text, thinking or tool input; null if there is none. */
  firstTokenMs: number | null;
  medianDeltaMs: number;
  /** The longest gaps between chunks, longest first. */
  pauses: Pause[];
  /** Cumulative bytes over time: one point per chunk, fewer for long recordings. */
  arrival: { atMs: number; byteSize: number }[];
};

const maxPauseCount = 3;
/** A chart gains nothing from more points than it has pixels. */
const maxPointCount = 600;

function hasToken({ json }: RecordedEvent, { readDeltas }: Provider): boolean {
  return json !== null && readDeltas(json).some(({ kind, text }) => kind !== "error" && text !== "");
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function arrivalOf({ chunks, dueMs }: Recording): Timing["arrival"] {
  const step = Math.max(1, Math.ceil(chunks.length / maxPointCount));
  let byteSize = 0;
  return chunks.flatMap((bytes, index) => {
    byteSize += bytes.length;
    const isShown = index % step === 0 || index === chunks.length - 1;
    return isShown ? [{ atMs: dueMs[index] as number, byteSize }] : [];
  });
}

export function describeTiming(recording: Recording): Timing {
  const dueMs = [...recording.dueMs];
  const pauses = dueMs
    .slice(1)
    .map((atMs, index) => ({ fromMs: dueMs[index] as number, pauseMs: atMs - (dueMs[index] as number) }));
  return {
    firstChunkMs: dueMs[0] ?? 0,
    firstTokenMs: readRecordingEvents(recording).find((event) => hasToken(event, recording.provider))?.atMs ?? null,
    medianDeltaMs: medianOf(pauses.map(({ pauseMs }) => pauseMs)),
    pauses: [...pauses].sort((a, b) => b.pauseMs - a.pauseMs).slice(0, maxPauseCount),
    arrival: arrivalOf(recording),
  };
}
