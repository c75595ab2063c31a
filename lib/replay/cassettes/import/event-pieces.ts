import { encodeText, joinBytes } from "#lib/platform/bytes";
import {
  type Framing,
  type Provider,
  type RecordedEvent,
  readEvents,
  type TimedChunk,
} from "#lib/replay/providers/index";
import { endsOf } from "../event-boundaries";

/** The exact bytes of an event, and what they say; `event` is undefined for a comment alone and for a whole body. */
export type EventPiece = { bytes: Uint8Array; event: RecordedEvent | undefined };

/**
 * Cuts a body after each event; the pieces joined are the same bytes. A blank line is added for parsing: the capture may
 * end before its last one, or inside a line end.
 */
export function splitEvents(bytes: Uint8Array, framing: Framing = "sse"): EventPiece[] {
  const ends = endsOf(bytes, framing);
  return ends.map((end, index) => {
    const piece = bytes.subarray(ends[index - 1] ?? 0, end);
    const parsed = framing === "sse" ? joinBytes([piece, encodeText("\n\n")]) : piece;
    const [event] = framing === "json" ? [] : readEvents([{ deltaMs: 0, bytes: parsed }], framing);
    return { bytes: piece, event };
  });
}

/** Times the events of a capture that has no times. */
export type GenerateTimes = (pieces: readonly EventPiece[], provider: Provider) => TimedChunk[];

/** Gives each event the same delay. */
export function spaceEvenly(pieces: readonly EventPiece[], chunkMs: number): TimedChunk[] {
  return pieces.map(({ bytes }) => ({ deltaMs: chunkMs, bytes }));
}

/** Places events at known times, in milliseconds from the request; a time before the previous one counts as equal. */
export function placeAt(pieces: readonly EventPiece[], timesMs: readonly number[]): TimedChunk[] {
  let lastMs = 0;
  return pieces.map(({ bytes }, index) => {
    const atMs = Math.max(lastMs, timesMs[index] ?? lastMs);
    const chunk = { deltaMs: atMs - lastMs, bytes };
    lastMs = atMs;
    return chunk;
  });
}
