import { createParser } from "eventsource-parser";
import type { TimedChunk } from "./encoding";

/** One SSE event of a response body; `json` is its `data` if that is a JSON object. */
export type RecordedEvent = {
  event: string;
  data: string;
  json: Record<string, unknown> | null;
  /** Milliseconds from the request to the chunk that completed the event. */
  atMs: number;
  /** Number of the chunk that completed the event, from 0. */
  chunk: number;
};

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Parses the SSE events of a response body. Characters may be split across chunks. */
export function readEvents(chunks: readonly TimedChunk[]): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  const decoder = new TextDecoder("utf-8");
  let atMs = 0;
  let number = 0;
  const parser = createParser({
    onEvent: ({ event = "message", data }) =>
      events.push({ event, data, json: parseObject(data), atMs, chunk: number }),
  });
  for (const [index, chunk] of chunks.entries()) {
    atMs += chunk.deltaMs;
    number = index;
    parser.feed(decoder.decode(chunk.bytes, { stream: true }));
  }
  return events;
}
