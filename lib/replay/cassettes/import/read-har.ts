import { z } from "zod";
import { parseUrl } from "#lib/platform/parse-url";
import type { TimedChunk } from "#lib/replay/providers/index";
import { keptHeaders } from "../recorder/redact";
import { type Capture, ImportError, type ImportedStream, parseJson, type ReadOptions, streamHeaders } from "./capture";
import {
  checkMessages,
  type EventPiece,
  formatEvent,
  generateTimes,
  placeAt,
  spaceEvenly,
  splitEvents,
} from "./event-pieces";

const headersSchema = z.array(z.looseObject({ name: z.string(), value: z.string() })).default([]);
const durationSchema = z.number().nullish();

/** The fields of a HAR 1.2 entry that are used, and those that browsers and proxies add to it. */
const harEntrySchema = z.looseObject({
  startedDateTime: z.string().optional(),
  pageref: z.string().optional(),
  request: z.looseObject({
    method: z.string().default(""),
    url: z.string().default(""),
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
type HarEntry = z.infer<typeof harEntrySchema>;

const harSchema = z.looseObject({
  log: z.looseObject({
    creator: z.looseObject({ name: z.string().default(""), version: z.string().default("") }).optional(),
    pages: z.array(z.looseObject({ id: z.string(), startedDateTime: z.string().optional() })).nullish(),
    entries: z.array(z.unknown()),
  }),
});
type Har = z.infer<typeof harSchema>;

type Timed = Pick<ImportedStream, "chunks" | "timing" | "boundary"> & { note: string };

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
  const eventCount = pieces.filter(({ type }) => type !== undefined).length;
  if (messages.length === 0 || messages.length !== eventCount || Number.isNaN(sent)) return undefined;
  let next = 0;
  const times = pieces.map(({ type }) => {
    // A comment has no timestamp: it gets that of the previous event.
    const message = messages[type === undefined ? Math.max(0, next - 1) : next];
    if (type !== undefined) next += 1;
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
  const note = "One per read from _chunks, with its length, by the browser's clock.";
  return { chunks, timing: "measured", boundary: "http-read", note };
}

/** Times the events by the two durations of every HAR: the wait for the first byte, and the rest spread evenly. */
function byDurations({ timings: { wait, receive } }: HarEntry, pieces: EventPiece[]): Timed {
  if (positive(wait) + positive(receive) === 0) {
    const note = "The HAR has no times; these are synthetic.";
    return { chunks: generateTimes(pieces), timing: "synthetic", boundary: "sse-event", note };
  }
  const gapMs = positive(receive) / Math.max(1, pieces.length - 1);
  const chunks = pieces.map(({ bytes }, index) => ({ deltaMs: index === 0 ? positive(wait) : gapMs, bytes }));
  const note = "The first event after the HAR's wait time; the others spread evenly over its receive time.";
  return { chunks, timing: "synthetic", boundary: "sse-event", note };
}

/** Times the events of a HAR entry, as precisely as the HAR allows. */
function timeHarEntry(har: Har, entry: HarEntry, pieces: EventPiece[]): Timed {
  return byMessages(entry, pieces) ?? byReads(har, entry, pieces) ?? byDurations(entry, pieces);
}

type Numbered = { number: number; entry: HarEntry };

function isEventStream({ response: { content, headers } }: HarEntry): boolean {
  const header = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
  return /^text\/event-stream\b/i.test(content.mimeType ?? "") || /^text\/event-stream\b/i.test(header ?? "");
}

function eventStreams({ log }: Har): Numbered[] {
  return log.entries.flatMap((value, index) => {
    const parsed = harEntrySchema.safeParse(value);
    return parsed.success && isEventStream(parsed.data) ? [{ number: index + 1, entry: parsed.data }] : [];
  });
}

/** Returns a URL without its query and credentials, which may be secret. */
function plainUrl(url: string): string {
  const parsed = parseUrl(url);
  return parsed ? `${parsed.origin}${parsed.pathname}` : url.slice(0, 200);
}

function choose(streams: Numbered[], har: Har, file: string, entryNumber: number | undefined): Numbered {
  if (entryNumber !== undefined) {
    const chosen = streams.find(({ number }) => number === entryNumber);
    if (chosen) return chosen;
    throw new ImportError(
      file,
      `entry ${entryNumber} is not an event stream (there are ${har.log.entries.length} entries)`,
    );
  }
  const [first, ...others] = streams;
  if (!first) throw new ImportError(file, `none of its ${har.log.entries.length} entries is an event stream`);
  if (others.length === 0) return first;
  const list = streams.slice(0, 10).map(({ number, entry }) => `${number} (${plainUrl(entry.request.url)})`);
  throw new ImportError(file, `has ${streams.length} event streams; choose one with --entry: ${list.join(", ")}`);
}

/** Returns the bytes of the stream; rebuilt from the browser's list of messages if the content is missing. */
function contentOf({ number, entry }: Numbered, file: string): { bytes: Buffer; rebuilt: boolean } {
  const { text, encoding } = entry.response.content;
  if (text) return { bytes: Buffer.from(text, encoding === "base64" ? "base64" : "utf8"), rebuilt: false };
  const messages = entry._eventSourceMessages ?? [];
  if (messages.length > 0) {
    const events = messages.map(({ eventName, data }) =>
      formatEvent(eventName || "message", data.replaceAll("\n", "\ndata: ")),
    );
    return { bytes: Buffer.concat(events), rebuilt: true };
  }
  throw new ImportError(file, `entry ${number} has no content. Save the HAR with content and try again`);
}

function requestBody({ request }: HarEntry): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(request.postData?.text ?? "{}");
    return body !== null && typeof body === "object" && !Array.isArray(body) ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function headersOf({ response: { headers } }: HarEntry): Record<string, string> {
  return { ...streamHeaders, ...keptHeaders(Object.fromEntries(headers.map(({ name, value }) => [name, value]))) };
}

/** Converts the event stream of a HAR file. Throws ImportError. */
export function readHar(capture: Capture, { entry: entryNumber, chunkMs }: ReadOptions): ImportedStream {
  const { file } = capture;
  const parsed = harSchema.safeParse(parseJson(capture));
  if (!parsed.success) throw new ImportError(file, "is not a HAR file: it has no log.entries");
  const har = parsed.data;
  const chosen = choose(eventStreams(har), har, file, entryNumber);
  const { bytes, rebuilt } = contentOf(chosen, file);
  const pieces = splitEvents(bytes);
  checkMessages(pieces, capture);
  const timed = timeHarEntry(har, chosen.entry, pieces);
  const { creator } = har.log;
  return {
    ...(chunkMs === undefined
      ? timed
      : { chunks: spaceEvenly(pieces, chunkMs), timing: "synthetic", boundary: "sse-event" }),
    status: Math.max(chosen.entry.response.status, 200),
    headers: headersOf(chosen.entry),
    body: requestBody(chosen.entry),
    source: {
      format: "har",
      tool: `${creator?.name ?? ""} ${creator?.version ?? ""}`.trim().slice(0, 200) || null,
      entry: chosen.number,
      url: plainUrl(chosen.entry.request.url).slice(0, 2000),
      captured_at: chosen.entry.startedDateTime?.slice(0, 40) ?? null,
      rebuilt,
      times: chunkMs === undefined ? timed.note : "Even, as requested.",
    },
  };
}
