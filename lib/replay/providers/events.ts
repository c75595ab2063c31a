import { createParser } from "eventsource-parser";

/** A chunk in memory: the bytes of one read, and the milliseconds since the previous read. */
export type TimedChunk = { deltaMs: number; bytes: Uint8Array };

/** An event of a recorded response, and when its last byte arrived. */
export type RecordedEvent = {
  /** Name of a server-sent event; `message` where the protocol names none. */
  event: string;
  data: string;
  /** `data` as a JSON object, or null if it is none, such as `[DONE]`. */
  json: Record<string, unknown> | null;
  /** Milliseconds since the request was sent. */
  atMs: number;
  /** Number of the chunk that completed the event, from 0. */
  chunk: number;
};

/** How a response body is divided into events, by its content type. */
export type Framing = "sse" | "ndjson" | "json";

export function framingOf(contentType: string | undefined): Framing {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type === "text/event-stream") return "sse";
  return type === "application/x-ndjson" || type === "application/jsonl" ? "ndjson" : "json";
}

type Json = Record<string, unknown>;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function objectOrNull(value: unknown): Json | null {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Json) : null;
}

/** Calls `visit` for each chunk's text with its time and number. A character may be divided between two chunks. */
function visitTexts(chunks: readonly TimedChunk[], visit: (text: string, atMs: number, chunk: number) => void): void {
  const decoder = new TextDecoder("utf-8");
  let atMs = 0;
  for (const [index, { deltaMs, bytes }] of chunks.entries()) {
    atMs += deltaMs;
    visit(decoder.decode(bytes, { stream: true }), atMs, index);
  }
}

function readServerSent(chunks: readonly TimedChunk[]): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  let place = { atMs: 0, chunk: 0 };
  const parser = createParser({
    onEvent: ({ event = "message", data }) => events.push({ event, data, json: objectOrNull(parse(data)), ...place }),
  });
  visitTexts(chunks, (text, atMs, chunk) => {
    place = { atMs, chunk };
    parser.feed(text);
  });
  return events;
}

function readLines(chunks: readonly TimedChunk[]): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  let rest = "";
  let place = { atMs: 0, chunk: 0 };
  const add = (line: string) => {
    if (line.trim() !== "") events.push({ event: "message", data: line, json: objectOrNull(parse(line)), ...place });
  };
  visitTexts(chunks, (text, atMs, chunk) => {
    place = { atMs, chunk };
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) add(line.replace(/\r$/, ""));
  });
  add(rest);
  return events;
}

/** A JSON object is one event; an array, as Gemini streams without `alt=sse`, is one event per item. */
function readJson(chunks: readonly TimedChunk[]): RecordedEvent[] {
  let body = "";
  let place = { atMs: 0, chunk: 0 };
  visitTexts(chunks, (text, atMs, chunk) => {
    body += text;
    place = { atMs, chunk };
  });
  const value = parse(body);
  const items = Array.isArray(value) ? value : value === null ? [] : [value];
  return items.map((item) => ({ event: "message", data: JSON.stringify(item), json: objectOrNull(item), ...place }));
}

const readers: Record<Framing, (chunks: readonly TimedChunk[]) => RecordedEvent[]> = {
  sse: readServerSent,
  ndjson: readLines,
  json: readJson,
};

/** Returns the events of a recorded response in order. */
export function readEvents(chunks: readonly TimedChunk[], framing: Framing = "sse"): RecordedEvent[] {
  return readers[framing](chunks);
}
