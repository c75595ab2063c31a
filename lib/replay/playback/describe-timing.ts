import { type RecordedEvent, type Recording, readEvents } from "#lib/replay/cassettes/index";

/** Time in which nothing came. */
export type Pause = { fromMs: number; pauseMs: number };

/** How a recording's bytes came in. */
export type Timing = {
  /** Milliseconds from the request to the first chunk. */
  firstChunkMs: number;
  /** To the first character of text, thinking or tool input; null where none came. */
  firstTokenMs: number | null;
  /** Half of the chunks came sooner after the one before. */
  medianDeltaMs: number;
  /** The longest pauses between chunks, the longest first. */
  pauses: Pause[];
  /** Bytes that had come by then, in the order of time: a point for each chunk, of long recordings fewer. */
  arrival: { atMs: number; byteSize: number }[];
};

const maxPauseCount = 3;
/** More points than pixels show nothing. */
const maxPointCount = 600;

const tokenDeltas = new Set(["text_delta", "thinking_delta", "input_json_delta"]);

function bringsToken({ json }: RecordedEvent): boolean {
  const delta = json?.delta as { type?: string; partial_json?: string } | undefined;
  return tokenDeltas.has(delta?.type ?? "") && delta?.partial_json !== "";
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

/** Puts a recording's timing into numbers. */
export function describeTiming(recording: Recording): Timing {
  const dueMs = [...recording.dueMs];
  const pauses = dueMs.slice(1).map((atMs, index) => ({
    fromMs: dueMs[index] as number,
    pauseMs: atMs - (dueMs[index] as number),
  }));
  const timed = recording.chunks.map((bytes, index) => ({
    bytes,
    deltaMs: (dueMs[index] as number) - (dueMs[index - 1] ?? 0),
  }));
  return {
    firstChunkMs: dueMs[0] ?? 0,
    firstTokenMs: readEvents(timed).find(bringsToken)?.atMs ?? null,
    medianDeltaMs: medianOf(pauses.map(({ pauseMs }) => pauseMs)),
    pauses: [...pauses].sort((a, b) => b.pauseMs - a.pauseMs).slice(0, maxPauseCount),
    arrival: arrivalOf(recording),
  };
}
