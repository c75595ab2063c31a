import { describe, expect, it } from "vitest";
import {
  countUntil,
  describeChunk,
  nearestChunk,
  toPlayerTimeline,
} from "../../../app/_components/player/player-timeline";
import {
  formatPosition,
  formatSpeed,
  parsePosition,
  parseSpeed,
  stepSpeed,
} from "../../../app/_components/player/url-state";
import { parseEvents } from "../../../app/_components/player/use-recording";

describe("parsing a replay's events", () => {
  it("returns chunk number, joined data, and JSON objects", () => {
    const text =
      'id: 3-0\nevent: ping\ndata: {"type": "ping"}\n\n: comment\n\nid: 3\r\ndata: a\r\ndata: b\r\n\r\nid: 4\nevent: x\ndata: cut';
    expect(parseEvents(text)).toEqual([
      { number: 0, chunk: 3, event: "ping", data: '{"type": "ping"}', json: { type: "ping" } },
      { number: 1, chunk: 3, event: "message", data: "a\nb", json: null },
    ]);
  });
});

describe("a timeline's times", () => {
  const timeline = toPlayerTimeline(
    [
      { atMs: 1_000, kind: "other", byteSize: 10 },
      { atMs: 1_031.0004, kind: "text", byteSize: 20 },
      { atMs: 1_031.0004, kind: "text", byteSize: 30 },
    ],
    1_031.0004,
  );

  it("are counted up to and including a position", () => {
    expect([0, 1_000, 1_030, 1_031, 9_999].map((at) => countUntil(timeline.atMs, at))).toEqual([0, 1, 1, 3, 3]);
    expect(countUntil(timeline.atMs, timeline.durationMs)).toBe(3);
  });

  it("give the chunk that is nearest to a position", () => {
    expect([0, 1_010, 1_020, 9_999].map((at) => nearestChunk(timeline.atMs, at))).toEqual([0, 0, 1, 2]);
  });

  it("are described in words", () => {
    expect(describeChunk(timeline, 0)).toBe("chunk 1 of 3 · 1.000 s · after the request · 10 bytes");
    expect(describeChunk(timeline, 1)).toBe("chunk 2 of 3 · 1.031 s · +31 ms · 20 bytes · text");
    expect(describeChunk(timeline, -1)).toBe("Before the first chunk");
  });
});

describe("the player's state in the URL", () => {
  it("accepts the player's speeds; anything else is 1", () => {
    expect(["0.25", "16", "max", "3", "", undefined].map(parseSpeed)).toEqual([0.25, 16, Infinity, 1, 1, 1]);
    expect([0.5, Infinity].map(formatSpeed)).toEqual(["0.5", "max"]);
  });

  it("steps up and down and stays at the ends", () => {
    expect([1, 0.25].map((speed) => stepSpeed(speed, -1))).toEqual([0.5, 0.25]);
    expect([1, 16, Infinity].map((speed) => stepSpeed(speed, 1))).toEqual([2, Infinity, Infinity]);
  });

  it("rounds a position up, so that the chunks at that position have arrived", () => {
    expect([0, 3_647.4, 19_135.431].map((ms) => formatPosition(ms))).toEqual(["0", "3.648", "19.136"]);
    expect(parsePosition(formatPosition(19_135.431), 19_135.431)).toBe(19_135.431);
    expect(parsePosition("21.755", 21_754.221_999_99), "the end of the timeline").toBe(21_754.222);
  });

  it("accepts positions within the duration, in seconds", () => {
    expect(["4.2", "0", "99"].map((text) => parsePosition(text, 10_000))).toEqual([4_200, 0, 10_000]);
    for (const text of ["-1", "1e3", "x", undefined]) expect(parsePosition(text, 10_000)).toBeNull();
  });
});
