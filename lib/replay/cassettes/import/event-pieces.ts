import { createHash } from "node:crypto";
import {
  type Delta,
  type Framing,
  type Provider,
  type RecordedEvent,
  readEvents,
  type TimedChunk,
} from "#lib/replay/providers/index";
import { createRandom, type Random } from "../author/seeded-random";
import { findEventEnds, splitLines } from "../event-boundaries";

/** The exact bytes of an event, and what they say; `event` is undefined for a comment alone and for a whole body. */
export type EventPiece = { bytes: Buffer; event: RecordedEvent | undefined };

function endsOf(bytes: Buffer, framing: Framing): number[] {
  if (framing === "sse") return findEventEnds(bytes);
  return framing === "ndjson" ? [...splitLines(bytes)].map(({ next }) => next) : [bytes.length];
}

/**
 * Cuts a body after each event; the pieces joined are the same bytes. A blank line is added for parsing: the capture may
 * end before its last one, or inside a line end.
 */
export function splitEvents(bytes: Buffer, framing: Framing = "sse"): EventPiece[] {
  const ends = endsOf(bytes, framing);
  return ends.map((end, index) => {
    const piece = bytes.subarray(ends[index - 1] ?? 0, end);
    const parsed = framing === "sse" ? Buffer.concat([piece, Buffer.from("\n\n")]) : piece;
    const [event] = framing === "json" ? [] : readEvents([{ deltaMs: 0, bytes: parsed }], framing);
    return { bytes: piece, event };
  });
}

/** Delay of the first event after the request, in milliseconds: minimum and maximum. */
const firstMs = [400, 1200] as const;
/** Delay of events without text, which arrive together with the previous one: starts, ends, pings, comments. */
const togetherMs = [0.2, 2] as const;
/** Delay of the first piece of a text, of thinking or of a tool's input. */
const firstDeltaMs = [60, 300] as const;
/** Delay of a further piece; it tends towards the minimum. */
const deltaMs = [12, 60] as const;
/** Delay of an error. */
const pauseMs = [120, 500] as const;

function delayOf(kind: Delta["kind"] | undefined, previous: Delta["kind"] | undefined, random: Random): number {
  if (kind === undefined) return random.between(...togetherMs);
  if (kind === "error") return random.between(...pauseMs);
  return kind === previous ? random.skewed(...deltaMs) : random.between(...firstDeltaMs);
}

/**
 * Generates plausible times for captures without any: a wait for the first event, pieces of text some tens of
 * milliseconds apart, and a pause before each new kind. The same bytes get the same times on every machine.
 */
export function generateTimes(pieces: readonly EventPiece[], provider: Provider): TimedChunk[] {
  const hash = createHash("sha256");
  for (const { bytes } of pieces) hash.update(bytes);
  const random = createRandom(hash.digest().readUInt32BE(0));
  let previous: Delta["kind"] | undefined;
  return pieces.map(({ bytes, event }, index) => {
    const [delta] = event?.json ? provider.readDeltas(event.json) : [];
    const kind = delta?.kind;
    const deltaMs = index === 0 ? random.between(...firstMs) : delayOf(kind, previous, random);
    previous = kind ?? previous;
    return { deltaMs, bytes };
  });
}

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
