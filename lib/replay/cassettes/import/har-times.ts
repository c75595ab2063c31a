import type { TimedChunk } from "../integrity";
import type { Har, HarEntry } from "./har-schema";
import type { ImportedStream } from "./imported-stream";
import type { EventPiece } from "./split-events";
import { inventTimes, placeAt } from "./time-events";

type Timed = Pick<ImportedStream, "chunks" | "timing" | "boundary"> & { note: string };

function positive(value: number | null | undefined): number {
  return Math.max(0, value ?? 0);
}

/** When the request was sent, in milliseconds since 1970; NaN where the HAR does not say. */
function sentAtMs({ startedDateTime, timings: { blocked, dns, connect } }: HarEntry): number {
  return Date.parse(startedDateTime ?? "") + positive(blocked) + positive(dns) + positive(connect);
}

/** Seconds since 1970 have ten digits, milliseconds thirteen. */
function toEpochMs(time: number): number {
  return time < 1e11 ? time * 1000 : time;
}

/** Each event with its own time, where the HAR has one for each. */
function byMessages(entry: HarEntry, pieces: EventPiece[]): Timed | undefined {
  const messages = entry._eventSourceMessages ?? [];
  const sent = sentAtMs(entry);
  const eventCount = pieces.filter(({ type }) => type !== undefined).length;
  if (messages.length === 0 || messages.length !== eventCount || Number.isNaN(sent)) return undefined;
  let next = 0;
  const times = pieces.map(({ type }) => {
    // A comment has no time of its own: it came with the event before it.
    const message = messages[type === undefined ? Math.max(0, next - 1) : next];
    if (type !== undefined) next += 1;
    return toEpochMs(message?.time ?? 0) - sent;
  });
  const note = "Times per event from _eventSourceMessages, by the browser's clock.";
  return { chunks: placeAt(pieces, times), timing: "measured", boundary: "sse-event", note };
}

/** Each read with its own time and length, where the HAR has them and they fit the body. */
function byReads(har: Har, entry: HarEntry, pieces: EventPiece[]): Timed | undefined {
  const reads = (entry._chunks ?? []).filter(({ bytes }) => bytes > 0);
  const page = har.log.pages?.find(({ id }) => id === entry.pageref);
  const offsetMs = Date.parse(page?.startedDateTime ?? "") - sentAtMs(entry);
  const body = Buffer.concat(pieces.map(({ bytes }) => bytes));
  const byteSize = reads.reduce((sum, { bytes }) => sum + bytes, 0);
  if (reads.length === 0 || byteSize !== body.length || Number.isNaN(offsetMs)) return undefined;
  let from = 0;
  const cut = reads.map(({ bytes }) => {
    from += bytes;
    return { bytes: body.subarray(from - bytes, from), type: undefined };
  });
  const chunks: TimedChunk[] = placeAt(
    cut,
    reads.map(({ ts }) => ts + offsetMs),
  );
  const note = "Times and lengths per read from _chunks, by the browser's clock.";
  return { chunks, timing: "measured", boundary: "http-read", note };
}

/** The two durations that every HAR has: the wait for the first byte, and the rest spread evenly. */
function byDurations({ timings: { wait, receive } }: HarEntry, pieces: EventPiece[]): Timed {
  if (positive(wait) + positive(receive) === 0) {
    const note = "The HAR holds no times; these are made up.";
    return { chunks: inventTimes(pieces), timing: "synthetic", boundary: "sse-event", note };
  }
  const gapMs = positive(receive) / Math.max(1, pieces.length - 1);
  const chunks = pieces.map(({ bytes }, index) => ({ deltaMs: index === 0 ? positive(wait) : gapMs, bytes }));
  const note = "First event after the HAR's wait, the others spread evenly over its receive.";
  return { chunks, timing: "synthetic", boundary: "sse-event", note };
}

/** When the events of a HAR entry came, as exactly as the HAR says. */
export function timeHarEntry(har: Har, entry: HarEntry, pieces: EventPiece[]): Timed {
  return byMessages(entry, pieces) ?? byReads(har, entry, pieces) ?? byDurations(entry, pieces);
}
