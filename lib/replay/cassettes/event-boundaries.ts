import type { Framing } from "#lib/replay/providers/index";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Byte offsets of a line: its first byte, the end of its text, and the first byte of the line after it. */
export type Line = { start: number; end: number; next: number };

/** Yields the lines of an event stream. They end with LF, CRLF or CR; the last one may have no line end. */
export function* splitLines(body: Uint8Array): Generator<Line> {
  for (let start = 0; start < body.length; ) {
    let end = start;
    while (end < body.length && body[end] !== lineFeed && body[end] !== carriageReturn) end += 1;
    const isCrLf = body[end] === carriageReturn && body[end + 1] === lineFeed;
    const next = Math.min(body.length, end + (isCrLf ? 2 : 1));
    yield { start, end, next };
    start = next;
  }
}

/**
 * Returns the byte offset after each server-sent event, in order; the last one is the length of the stream. An event
 * ends after the blank line that follows it, or with the stream. Further blank lines belong to the event before them,
 * and leading ones to the first event.
 */
export function findEventEnds(body: Uint8Array): number[] {
  const ends: number[] = [];
  let isOpen = false;
  for (const { start, end, next } of splitLines(body)) {
    if (end > start) isOpen = true;
    else if (isOpen) {
      ends.push(next);
      isOpen = false;
    } else if (ends.length > 0) ends[ends.length - 1] = next;
  }
  if ((ends.at(-1) ?? 0) < body.length) ends.push(body.length);
  return ends;
}

/** Returns the byte offset after each event of a body; JSON is one event. */
export function endsOf(body: Uint8Array, framing: Framing): number[] {
  if (framing === "sse") return findEventEnds(body);
  return framing === "ndjson" ? [...splitLines(body)].map(({ next }) => next) : [body.length];
}
