import * as z from "zod";
import { joinBytes } from "#lib/platform/bytes";
import type { TimedChunk } from "#lib/replay/providers/index";
import type { ImportedStream } from "./capture";
import { type EventPiece, placeAt } from "./event-pieces";

const headersSchema = z.array(z.looseObject({ name: z.string(), value: z.string() })).default([]);
const durationSchema = z.number().nullish();

/** The fields of a HAR 1.2 entry that are used, and those that browsers and proxies add to it. */
export const harEntrySchema = z.looseObject({
  startedDateTime: z.string().optional(),
  pageref: z.string().optional(),
  request: z.looseObject({
    method: z.string().default(""),
    url: z.string().default(""),
    headers: headersSchema,
    postData: z.looseObject({ text: z.string().optional() }).nullish(),
  }),
  response: z.looseObject({
    status: z.number().default(0),
    headers: headersSchema,
    content: z
      .looseObject({ mimeType: z.string().optional(), text: z.string().optional(), encoding: z.string().optional() })
      .default({}),
  }),
  timings: z
    .looseObject({
      blocked: durationSchema,
      dns: durationSchema,
      connect: durationSchema,
      wait: durationSchema,
      receive: durationSchema,
    })
    .default({}),
  /** Added by Chromium and others: one per event, `time` in seconds (or milliseconds) since 1970. */
  _eventSourceMessages: z
    .array(z.looseObject({ time: z.number(), eventName: z.string().optional(), data: z.string().default("") }))
    .nullish(),
  /** Added by chrome-har (Browsertime, sitespeed.io): one per read, `ts` in milliseconds since the page started. */
  _chunks: z.array(z.looseObject({ ts: z.number(), bytes: z.number() })).nullish(),
});
export type HarEntry = z.infer<typeof harEntrySchema>;

export const harSchema = z.looseObject({
  log: z.looseObject({
    creator: z.looseObject({ name: z.string().default(""), version: z.string().default("") }).optional(),
    pages: z.array(z.looseObject({ id: z.string(), startedDateTime: z.string().optional() })).nullish(),
    entries: z.array(z.unknown()),
  }),
});
export type Har = z.infer<typeof harSchema>;

type Timed = Pick<ImportedStream, "chunks" | "timing" | "boundary"> & { note: string };

type Generate = (pieces: readonly EventPiece[]) => TimedChunk[];

function positive(value: number | null | undefined): number {
  return Math.max(0, value ?? 0);
}

/** Returns when the request was sent, in milliseconds since 1970; NaN if the HAR does not say. */
function sentAtMs({ startedDateTime, timings: { blocked, dns, connect } }: HarEntry): number {
  return Date.parse(startedDateTime ?? "") + positive(blocked) + positive(dns) + positive(connect);
}

/** Seconds since 1970 have ten digits, milliseconds thirteen. */
function toEpochMs(time: number): number {
  return time < 1e11 ? time * 1000 : time;
}

/** Times each event by its own timestamp; undefined unless the HAR has one per event. */
function byMessages(entry: HarEntry, pieces: EventPiece[]): Timed | undefined {
  const messages = entry._eventSourceMessages ?? [];
  const sent = sentAtMs(entry);
  const eventCount = pieces.filter(({ event }) => event !== undefined).length;
  if (messages.length === 0 || messages.length !== eventCount || Number.isNaN(sent)) return undefined;
  let next = 0;
  const times = pieces.map(({ event }) => {
    // A comment has no timestamp: it gets that of the previous event.
    const message = messages[event === undefined ? Math.max(0, next - 1) : next];
    if (event !== undefined) next += 1;
    return toEpochMs(message?.time ?? 0) - sent;
  });
  const note = "One per event from _eventSourceMessages, by the browser's clock.";
  return { chunks: placeAt(pieces, times), timing: "measured", boundary: "sse-event", note };
}

/** Times each read by its own timestamp; undefined unless the HAR has them and their lengths match the body. */
function byReads(har: Har, entry: HarEntry, pieces: EventPiece[]): Timed | undefined {
  const reads = (entry._chunks ?? []).filter(({ bytes }) => bytes > 0);
  const page = har.log.pages?.find(({ id }) => id === entry.pageref);
  const offsetMs = Date.parse(page?.startedDateTime ?? "") - sentAtMs(entry);
  const body = joinBytes(pieces.map(({ bytes }) => bytes));
  const byteSize = reads.reduce((sum, { bytes }) => sum + bytes, 0);
  if (reads.length === 0 || byteSize !== body.length || Number.isNaN(offsetMs)) return undefined;
  let from = 0;
  const cut = reads.map(({ bytes }) => {
    from += bytes;
    return { bytes: body.subarray(from - bytes, from), event: undefined };
  });
  const chunks: TimedChunk[] = placeAt(
    cut,
    reads.map(({ ts }) => ts + offsetMs),
  );
  const note = "One per read from _chunks, with its length, by the browser's clock.";
  return { chunks, timing: "measured", boundary: "http-read", note };
}

/** Times the events by the two durations of every HAR: the wait for the first byte, and the rest spread evenly. */
function byDurations({ timings: { wait, receive } }: HarEntry, pieces: EventPiece[], generate: Generate): Timed {
  if (positive(wait) + positive(receive) === 0) {
    const note = "The HAR has no times; these are synthetic.";
    return { chunks: generate(pieces), timing: "synthetic", boundary: "sse-event", note };
  }
  const gapMs = positive(receive) / Math.max(1, pieces.length - 1);
  const chunks = pieces.map(({ bytes }, index) => ({ deltaMs: index === 0 ? positive(wait) : gapMs, bytes }));
  const note = "The first event after the HAR's wait time; the others spread evenly over its receive time.";
  return { chunks, timing: "synthetic", boundary: "sse-event", note };
}

/** Returns the chunks of an entry with the best times that the HAR has; `generate` times them if it has none. */
export function timeHarEntry(har: Har, entry: HarEntry, pieces: EventPiece[], generate: Generate): Timed {
  return byMessages(entry, pieces) ?? byReads(har, entry, pieces) ?? byDurations(entry, pieces, generate);
}
