import { createHash } from "node:crypto";
import { createRandom, type Random } from "../author/seeded-random";
import { findEventEnds } from "../event-boundaries";
import type { TimedChunk } from "../integrity";
import { type RecordedEvent, readEvents } from "../read-events";
import { type Capture, ImportError } from "./capture";

/** One event's exact bytes, and its `type` where its data is JSON that names one; undefined for a comment alone. */
export type EventPiece = { bytes: Buffer; type: string | undefined };

function typeOf({ json }: RecordedEvent): string {
  return typeof json?.type === "string" ? json.type : "";
}

/** An empty line is added for reading: the capture may end before its last one, or a line end may be half of one. */
function toPiece(bytes: Buffer): EventPiece {
  const [event] = readEvents([{ deltaMs: 0, bytes: Buffer.concat([bytes, Buffer.from("\n\n")]) }]);
  return { bytes, type: event && typeOf(event) };
}

/** Cuts a stream after each event; the pieces joined are the same bytes. */
export function splitEvents(bytes: Buffer): EventPiece[] {
  const ends = findEventEnds(bytes);
  return ends.map((end, index) => toPiece(bytes.subarray(ends[index - 1] ?? 0, end)));
}

/** Refuses a stream of another protocol, or none at all. Throws ImportError. */
export function checkMessages(pieces: readonly EventPiece[], { file }: Pick<Capture, "file">): void {
  const types = pieces.map(({ type }) => type).filter((type) => type !== undefined);
  if (types.includes("message_start") || types.includes("error")) return;
  if (types.length === 0) throw new ImportError(file, "holds no server-sent event");
  const first = types.find((type) => type !== "");
  const found = first === undefined ? "its events name no type" : `its first event is ${first.slice(0, 60)}`;
  throw new ImportError(file, `is no stream of Anthropic Messages: there is no message_start, and ${found}`);
}

/** One event in the provider's spelling. */
export function formatEvent(type: string, data: string): Buffer {
  return Buffer.from(`event: ${type}\ndata: ${data}\n\n`, "utf8");
}

/** Time from the request to the first event, in milliseconds: least and most. */
const firstMs = [400, 1200] as const;
/** What is written together with the event before it: starts and ends of blocks and messages, pings, comments. */
const togetherMs = [0.2, 2] as const;
/** The first delta of a block: the model begins. */
const beginMs = [60, 300] as const;
/** A delta after another, nearer to the least than to the most. */
const deltaMs = [12, 60] as const;
/** A further block, and an error. */
const pauseMs = [120, 500] as const;

function delayOf(type: string | undefined, before: string | undefined, random: Random): number {
  switch (type) {
    case "content_block_delta":
      return before === "content_block_delta" ? random.skewed(...deltaMs) : random.between(...beginMs);
    case "content_block_start":
      return before === "content_block_stop" ? random.between(...pauseMs) : random.between(...togetherMs);
    case "error":
      return random.between(...pauseMs);
    default:
      return random.between(...togetherMs);
  }
}

/**
 * Makes up when events arrived, for captures that do not say: a wait for the first one, deltas some tens of
 * milliseconds apart, a pause before each block. The same bytes get the same times, on every machine.
 */
export function inventTimes(pieces: readonly EventPiece[]): TimedChunk[] {
  const hash = createHash("sha256");
  for (const { bytes } of pieces) hash.update(bytes);
  const random = createRandom(hash.digest().readUInt32BE(0));
  return pieces.map(({ bytes, type }, index) => {
    const delay = index === 0 ? random.between(...firstMs) : delayOf(type, pieces[index - 1]?.type, random);
    return { deltaMs: delay, bytes };
  });
}

/** The same delay before each event. */
export function spaceEvenly(pieces: readonly EventPiece[], chunkMs: number): TimedChunk[] {
  return pieces.map(({ bytes }) => ({ deltaMs: chunkMs, bytes }));
}

/** Events at known times, in milliseconds from the request; a time that goes back counts as the one before it. */
export function placeAt(pieces: readonly EventPiece[], timesMs: readonly number[]): TimedChunk[] {
  let lastMs = 0;
  return pieces.map(({ bytes }, index) => {
    const atMs = Math.max(lastMs, timesMs[index] ?? lastMs);
    const chunk = { deltaMs: atMs - lastMs, bytes };
    lastMs = atMs;
    return chunk;
  });
}
