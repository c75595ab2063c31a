import { createParser } from "eventsource-parser";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findEventEnds, splitLines } from "#lib/replay/cassettes/event-boundaries";
import { propertyRuns } from "#tests/support/extended";

/** The events that a standard parser finds; the added blank lines end an event that the stream leaves open. */
function parse(bytes: Uint8Array): { event: string | undefined; data: string }[] {
  const events: { event: string | undefined; data: string }[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
  parser.feed(`${Buffer.from(bytes).toString("utf8")}\n\n`);
  return events;
}

function slices(body: Buffer): Buffer[] {
  const ends = findEventEnds(body);
  return ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
}

const text = fc.string({ unit: "grapheme", maxLength: 8 }).map((value) => value.replaceAll(/[\r\n\uFEFF]/g, ""));
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 3, arbitrary: text.map((value) => `data: ${value}`) },
  { weight: 1, arbitrary: fc.constantFrom("event: ping", "event:x", ": comment", "data", "retry: 10") },
);
const streams = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 30 });

describe("the boundaries of server-sent events", () => {
  it("cut any stream into slices that hold at most one event each, and the same events as the whole", () => {
    fc.assert(
      fc.property(streams, text, (lines, rest) => {
        const body = Buffer.from(lines.flat().join("") + rest);
        const cut = slices(body);
        expect(Buffer.concat(cut).equals(body)).toBe(true);
        const parsed = cut.map(parse);
        expect(parsed.every((events) => events.length <= 1)).toBe(true);
        expect(parsed.flat()).toEqual(parse(body));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it("are the same in each of the three spellings of a line end", () => {
    for (const lineEnd of ["\n", "\r\n", "\r"]) {
      const body = Buffer.from(["data: a", "", "data: b", "", "", "data: c"].join(lineEnd));
      expect(slices(body).map((slice) => slice.toString().replaceAll(/[\r\n]+/g, ""))).toEqual([
        "data: a",
        "data: b",
        "data: c",
      ]);
    }
  });

  it("include the end of a final event without a blank line, and none in an empty stream", () => {
    expect(findEventEnds(Buffer.from("data: a\n\ndata: b"))).toEqual([9, 16]);
    expect(findEventEnds(Buffer.from("data: a\n\ndata: b\n"))).toEqual([9, 17]);
    expect(findEventEnds(Buffer.alloc(0))).toEqual([]);
  });

  it("leave leading and repeated blank lines with an event", () => {
    expect(findEventEnds(Buffer.from("\n\ndata: a\n\n\n\ndata: b\n\n"))).toEqual([13, 22]);
    expect(findEventEnds(Buffer.from("\n\n\n"))).toEqual([3]);
  });
});

describe("the lines of an event stream", () => {
  it("are those that a split at LF, CRLF and CR gives", () => {
    fc.assert(
      fc.property(streams, text, (lines, rest) => {
        const body = Buffer.from(lines.flat().join("") + rest);
        const texts = [...splitLines(body)].map(({ start, end }) => body.subarray(start, end).toString());
        const expected = body.toString().split(/\r\n|\n|\r/);
        if (expected.at(-1) === "") expected.pop();
        expect(texts).toEqual(expected);
      }),
    );
  });
});
