import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { framingOf, readEvents, type TimedChunk } from "#lib/replay/providers/index";

const encoder = new TextEncoder();

function cutAt(bytes: Uint8Array, cuts: readonly number[]): TimedChunk[] {
  const places = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => ({ deltaMs: 1, bytes: bytes.subarray(places[index], end) }));
}

const bodies = {
  sse: 'event: delta\r\ndata: {"text":"für 🎉"}\r\n\r\n: comment\n\ndata: {"a":\ndata: 1}\n\ndata: [DONE]\n\n',
  ndjson: '{"text":"für 🎉"}\r\n\n{"done":true}',
  json: '[{"text":"für 🎉"},\r\n{"done":true}]',
} as const;
const framings = Object.keys(bodies) as (keyof typeof bodies)[];

describe.each(framings)("events of %s", (framing) => {
  const bytes = encoder.encode(bodies[framing]);
  const contentOf = (chunks: readonly TimedChunk[]) =>
    readEvents(chunks, framing).map(({ event, data, json }) => ({ event, data, json }));
  const whole = contentOf([{ deltaMs: 0, bytes }]);

  it("are the same wherever the body is divided into two chunks", () => {
    for (let cut = 0; cut <= bytes.length; cut += 1)
      expect([cut, contentOf(cutAt(bytes, [cut]))]).toEqual([cut, whole]);
  });

  it("are the same if every byte is a chunk", () => {
    expect(contentOf(cutAt(bytes, [...bytes.keys()]))).toEqual(whole);
  });

  it("are the same for any chunks", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        expect(contentOf(cutAt(bytes, cuts))).toEqual(whole);
      }),
    );
  });
});

describe("an event", () => {
  it("has the name, the data and the JSON object of a server-sent event", () => {
    expect(readEvents([{ deltaMs: 5, bytes: encoder.encode(bodies.sse) }], "sse")).toEqual([
      { event: "delta", data: '{"text":"für 🎉"}', json: { text: "für 🎉" }, atMs: 5, chunk: 0 },
      { event: "message", data: '{"a":\n1}', json: { a: 1 }, atMs: 5, chunk: 0 },
      { event: "message", data: "[DONE]", json: null, atMs: 5, chunk: 0 },
    ]);
  });

  it("has the time and the number of the chunk with its last byte", () => {
    const chunks = ['data: {"a"', ":1}\n", '\ndata: {"b":2}\n\n'].map((text, index) => ({
      deltaMs: 10 * (index + 1),
      bytes: encoder.encode(text),
    }));
    expect(readEvents(chunks, "sse").map(({ json, atMs, chunk }) => ({ json, atMs, chunk }))).toEqual([
      { json: { a: 1 }, atMs: 60, chunk: 2 },
      { json: { b: 2 }, atMs: 60, chunk: 2 },
    ]);
  });

  it("that was cut off is none, except for a last line without its end", () => {
    expect(readEvents([{ deltaMs: 0, bytes: encoder.encode('data: {"a":1}\n') }], "sse")).toEqual([]);
    expect(readEvents([{ deltaMs: 0, bytes: encoder.encode('[{"a":1},') }], "json")).toEqual([]);
    const lines = readEvents([{ deltaMs: 0, bytes: encoder.encode('{"a":1}\n{"b"') }], "ndjson");
    expect(lines.map(({ data, json }) => [data, json])).toEqual([
      ['{"a":1}', { a: 1 }],
      ['{"b"', null],
    ]);
  });

  it("of a JSON body is the object, or each item of an array", () => {
    const read = (text: string) =>
      readEvents([{ deltaMs: 0, bytes: encoder.encode(text) }], "json").map(({ json }) => json);
    expect(read('{"a":1}')).toEqual([{ a: 1 }]);
    expect(read('[{"a":1},{"b":2}]')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(read("<html>")).toEqual([]);
  });
});

it.each([
  ["text/event-stream; charset=utf-8", "sse"],
  ["Text/Event-Stream", "sse"],
  ["application/x-ndjson", "ndjson"],
  ["application/jsonl", "ndjson"],
  ["application/json; charset=UTF-8", "json"],
  [undefined, "json"],
])("a body of type %s is read as %s", (contentType, framing) => {
  expect(framingOf(contentType)).toBe(framing);
});
