import { parseUrl } from "#lib/platform/parse-url";
import { keptHeaders } from "../recorder/kept-headers";
import { type Har, type HarEntry, harEntrySchema, harSchema } from "./har-schema";
import { timeHarEntry } from "./har-times";
import { ImportError } from "./import-error";
import { type Capture, type ImportedStream, type ReadOptions, streamHeaders } from "./imported-stream";
import { parseJson } from "./parse-json";
import { checkMessages, formatEvent, splitEvents } from "./split-events";
import { spaceEvenly } from "./time-events";

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

/** An address without its query and credentials, which may be secret. */
function plainUrl(url: string): string {
  const parsed = parseUrl(url);
  return parsed ? `${parsed.origin}${parsed.pathname}` : url.slice(0, 200);
}

function choose(streams: Numbered[], har: Har, file: string, wanted: number | undefined): Numbered {
  if (wanted !== undefined) {
    const chosen = streams.find(({ number }) => number === wanted);
    if (chosen) return chosen;
    throw new ImportError(file, `entry ${wanted} is no event stream (there are ${har.log.entries.length} entries)`);
  }
  const [first, ...others] = streams;
  if (!first) throw new ImportError(file, `none of its ${har.log.entries.length} entries is an event stream`);
  if (others.length === 0) return first;
  const list = streams.slice(0, 10).map(({ number, entry }) => `${number} (${plainUrl(entry.request.url)})`);
  throw new ImportError(file, `has ${streams.length} event streams; choose one with --entry: ${list.join(", ")}`);
}

/** The stream's bytes; from the messages that the browser noted where the content itself is missing. */
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

/** The event stream of a HAR file. Throws ImportError. */
export function readHar(capture: Capture, { entry: wanted, chunkMs }: ReadOptions): ImportedStream {
  const { file } = capture;
  const parsed = harSchema.safeParse(parseJson(capture));
  if (!parsed.success) throw new ImportError(file, "is no HAR file: it has no log.entries");
  const har = parsed.data;
  const chosen = choose(eventStreams(har), har, file, wanted);
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
      times: chunkMs === undefined ? timed.note : "Even, as asked for.",
    },
  };
}
