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

/** What of an event a protocol needs. */
export type StreamEvent = Pick<RecordedEvent, "event" | "data" | "json">;

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

type Emit = (event: StreamEvent) => void;
type TextReader = { feed: (text: string) => void; end: () => void };

function serverSentReader(emit: Emit): TextReader {
  const parser = createParser({
    onEvent: ({ event = "message", data }) => emit({ event, data, json: objectOrNull(parse(data)) }),
  });
  return { feed: (text) => parser.feed(text), end: () => undefined };
}

function lineReader(emit: Emit): TextReader {
  let rest = "";
  const emitLine = (line: string) => {
    if (line.trim() !== "") emit({ event: "message", data: line, json: objectOrNull(parse(line)) });
  };
  return {
    feed: (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) emitLine(line.replace(/\r$/, ""));
    },
    end: () => emitLine(rest),
  };
}

/** A JSON object is one event; an array, as Gemini streams without `alt=sse`, is one event per item. */
function jsonReader(emit: Emit): TextReader {
  let body = "";
  return {
    feed: (text) => {
      body += text;
    },
    end: () => {
      const value = parse(body);
      const items = Array.isArray(value) ? value : value === null ? [] : [value];
      for (const item of items) emit({ event: "message", data: JSON.stringify(item), json: objectOrNull(item) });
    },
  };
}

const readers: Record<Framing, (emit: Emit) => TextReader> = {
  sse: serverSentReader,
  ndjson: lineReader,
  json: jsonReader,
};

/** Reads events while their bytes arrive. */
export class EventReader {
  readonly #decoder = new TextDecoder("utf-8");
  readonly #reader: TextReader;

  constructor(framing: Framing, emit: Emit) {
    this.#reader = readers[framing](emit);
  }

  /** Reads the next bytes. A character may be divided between two calls. */
  feed(bytes: Uint8Array): void {
    this.#reader.feed(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Reads what is left at the end of the body. */
  end(): void {
    this.#reader.end();
  }
}

/** Returns the events of a recorded response in order. */
export function readEvents(chunks: readonly TimedChunk[], framing: Framing): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  let [atMs, chunk] = [0, 0];
  const reader = new EventReader(framing, ({ event, data, json }) => events.push({ event, data, json, atMs, chunk }));
  for (const [index, { deltaMs, bytes }] of chunks.entries()) {
    atMs += deltaMs;
    chunk = index;
    reader.feed(bytes);
  }
  reader.end();
  return events;
}
