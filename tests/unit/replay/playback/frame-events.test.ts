import { createParser } from "eventsource-parser";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Recording } from "#lib/replay/cassettes/index";
import { frameEvents } from "#lib/replay/playback/open-replay";

function recordingOf(body: Buffer, cuts: number[]): Recording {
  const places = [...new Set(cuts.map((cut) => cut % (body.length + 1)))]
    .filter((cut) => cut > 0 && cut < body.length)
    .sort((a, b) => a - b);
  const chunks = [...places, body.length].map((end, index) => body.subarray(places[index - 1] ?? 0, end));
  return { chunks, dueMs: Float64Array.from(chunks, (_, index) => index * 10) } as unknown as Recording;
}

const events = fc.array(
  fc.record({
    data: fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, "")),
    end: fc.constantFrom("\n\n", "\r\n\r\n", "\r\r"),
  }),
  { maxLength: 20 },
);

describe("the event frames of a recording", () => {
  it("keep every byte, with one event per frame and unique ids in order, wherever chunks are split", () => {
    fc.assert(
      fc.property(
        events,
        fc.string({ maxLength: 5 }).map((text) => text.replaceAll(/[\r\n]/g, "").replace(/^i+/, "")),
        fc.array(fc.nat()),
        (list, rest, cuts) => {
          const body = Buffer.from(list.map(({ data, end }) => `data: ${data}${end}`).join("") + rest);
          const { frames, ids, dueMs } = frameEvents(recordingOf(body, cuts));
          const stripped = frames.map((frame, index) => {
            expect(frame.subarray(0, (ids[index] as string).length + 5).toString()).toBe(`id: ${ids[index]}\n`);
            return frame.subarray((ids[index] as string).length + 5);
          });
          expect(Buffer.concat(stripped).equals(body)).toBe(true);
          expect(frames.length).toBe(list.length + (rest === "" ? 0 : 1));
          expect(new Set(ids).size).toBe(ids.length);
          expect([...dueMs]).toEqual([...dueMs].sort((a, b) => a - b));
        },
      ),
    );
  });

  it("have no other ids than those that lead back to them", () => {
    const body = Buffer.from("id: 7\ndata: a\n\ndata: b\r\nid\r\nidea: c\r\n\r\nid:9\rdata: id\r\rdata: d\n\n");
    const { frames, ids } = frameEvents(recordingOf(body, [20]));
    const read: unknown[] = [];
    createParser({ onEvent: ({ id, data }) => read.push([id, data]) }).feed(Buffer.concat(frames).toString());
    expect(read).toEqual(["a", "b", "id", "d"].map((data, index) => [ids[index], data]));
    expect(Buffer.concat(frames).toString()).toContain("idea: c\r\n");
  });
});
