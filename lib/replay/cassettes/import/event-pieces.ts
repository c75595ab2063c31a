import { createHash } from "node:crypto";
import { type RecordedEvent, readEvents, type TimedChunk } from "#lib/replay/providers/index";
import { createRandom, type Random } from "../author/seeded-random";
import { findEventEnds } from "../event-boundaries";
import { type Capture, ImportError } from "./capture";

/** The exact bytes of an event, and the `type` in its JSON data (empty without one); undefined for a comment alone. */
export type EventPiece = { bytes: Buffer; type: string | undefined };

function typeOf({ json }: RecordedEvent): string {
  return typeof json?.type === "string" ? json.type : "";
}

/** A blank line is added for parsing: the capture may end before its last one, or inside a line end. */
function toPiece(bytes: Buffer): EventPiece {
  const [event] = readEvents([{ deltaMs: 0, bytes: Buffer.concat([bytes, Buffer.from("\n\n")]) }], "sse");
  return { bytes, type: event && typeOf(event) };
}

/** Cuts a stream after each event; the pieces joined are the same bytes. */
export function splitEvents(bytes: Buffer): EventPiece[] {
  const ends = findEventEnds(bytes);
  return ends.map((end, index) => toPiece(bytes.subarray(ends[index - 1] ?? 0, end)));
}

/** Rejects a stream of another protocol and one without events. Throws ImportError. */
export function checkMessages(pieces: readonly EventPiece[], { file }: Pick<Capture, "file">): void {
  const types = pieces.map(({ type }) => type).filter((type) => type !== undefined);
  if (types.includes("message_start") || types.includes("error")) return;
  if (types.length === 0) throw new ImportError(file, "has no server-sent events");
  const first = types.find((type) => type !== "");
  const found = first === undefined ? "its events have no type" : `its first event is ${first.slice(0, 60)}`;
  throw new ImportError(file, `is not a stream of Anthropic Messages: it has no message_start, and ${found}`);
}

/** Returns an event as the provider formats it. */
export function formatEvent(type: string, data: string): Buffer {
  return Buffer.from(`event: ${type}\ndata: ${data}\n\n`, "utf8");
}

/** Delay of the first event after the request, in milliseconds: minimum and maximum. */
const firstMs = [400, 1200] as const;
/** Delay of events sent together with the previous one: starts and ends of blocks and messages, pings, comments. */
const togetherMs = [0.2, 2] as const;
/** Delay of the first delta of a block. */
const firstDeltaMs = [60, 300] as const;
/** Delay of a delta after another one; it tends towards the minimum. */
const deltaMs = [12, 60] as const;
/** Delay of a further block, and of an error. */
const pauseMs = [120, 500] as const;

function delayOf(type: string | undefined, previous: string | undefined, random: Random): number {
  switch (type) {
    case "content_block_delta":
      return previous === "content_block_delta" ? random.skewed(...deltaMs) : random.between(...firstDeltaMs);
    case "content_block_start":
      return previous === "content_block_stop" ? random.between(...pauseMs) : random.between(...togetherMs);
    case "error":
      return random.between(...pauseMs);
    default:
      return random.between(...togetherMs);
  }
}

/**
 * Generates plausible times for captures without any: a wait for the first event, deltas some tens of milliseconds
 * apart, and a pause before each block. The same bytes get the same times on every machine.
 */
export function generateTimes(pieces: readonly EventPiece[]): TimedChunk[] {
  const hash = createHash("sha256");
  for (const { bytes } of pieces) hash.update(bytes);
  const random = createRandom(hash.digest().readUInt32BE(0));
  return pieces.map(({ bytes, type }, index) => {
    const delay = index === 0 ? random.between(...firstMs) : delayOf(type, pieces[index - 1]?.type, random);
    return { deltaMs: delay, bytes };
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
