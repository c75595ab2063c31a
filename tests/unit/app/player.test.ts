import { describe, expect, it } from "vitest";
import { parseEvents } from "../../../app/_components/player/parse-events";
import {
  countUntil,
  describeChunk,
  nearestChunk,
  toPlayerTimeline,
} from "../../../app/_components/player/player-timeline";
import { parsePosition, parseSpeed, positionText, speedText, stepSpeed } from "../../../app/_components/player/speeds";

describe("the events of a replay", () => {
  it("carry the number of their chunk, their data joined, and JSON where it is an object", () => {
    const text =
      'id: 3-0\nevent: ping\ndata: {"type": "ping"}\n\n: comment\n\nid: 3\r\ndata: a\r\ndata: b\r\n\r\nid: 4\nevent: x\ndata: cut';
    expect(parseEvents(text)).toEqual([
      { number: 0, chunk: 3, event: "ping", data: '{"type": "ping"}', json: { type: "ping" } },
      { number: 1, chunk: 3, event: "message", data: "a\nb", json: null },
    ]);
  });
});

describe("a tape's times", () => {
  const tape = toPlayerTimeline(
    [
      { atMs: 1_000, kind: "other", byteSize: 10 },
      { atMs: 1_031.0004, kind: "text", byteSize: 20 },
      { atMs: 1_031.0004, kind: "text", byteSize: 30 },
    ],
    1_031.0004,
  );

  it("count what has come by a moment, its own included", () => {
    expect([0, 1_000, 1_030, 1_031, 9_999].map((at) => countUntil(tape.atMs, at))).toEqual([0, 1, 1, 3, 3]);
    expect(countUntil(tape.atMs, tape.durationMs)).toBe(3);
  });

  it("find the chunk nearest to a moment", () => {
    expect([0, 1_010, 1_020, 9_999].map((at) => nearestChunk(tape.atMs, at))).toEqual([0, 0, 1, 2]);
  });

  it("are told in words", () => {
    expect(describeChunk(tape, 0)).toBe("chunk 1 of 3 · 1.000 s · after the request · 10 bytes");
    expect(describeChunk(tape, 1)).toBe("chunk 2 of 3 · 1.031 s · +31 ms · 20 bytes · text");
    expect(describeChunk(tape, -1)).toBe("Before the first chunk");
  });
});

describe("the player's state in an address", () => {
  it("has the speeds that the player offers; anything else is 1", () => {
    expect(["0.25", "16", "max", "3", "", undefined].map((text) => parseSpeed(text))).toEqual([
      0.25,
      16,
      Number.POSITIVE_INFINITY,
      1,
      1,
      1,
    ]);
    expect([speedText(0.5), speedText(Number.POSITIVE_INFINITY)]).toEqual(["0.5", "max"]);
  });

  it("goes up and down by steps and stays at the ends", () => {
    expect([stepSpeed(1, 1), stepSpeed(1, -1), stepSpeed(0.25, -1), stepSpeed(16, 1)]).toEqual([
      2,
      0.5,
      0.25,
      Number.POSITIVE_INFINITY,
    ]);
    expect(stepSpeed(Number.POSITIVE_INFINITY, 1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("writes a moment so that what had come by then has come by it", () => {
    expect([0, 3_647.4, 19_135.431].map((ms) => positionText(ms))).toEqual(["0", "3.648", "19.136"]);
    expect(parsePosition(positionText(19_135.431), 19_135.431)).toBe(19_135.431);
  });

  it("has a moment within the recording, in seconds", () => {
    expect(["4.2", "0", "99", "-1", "1e3", "x", undefined].map((text) => parsePosition(text, 10_000))).toEqual([
      4_200,
      0,
      10_000,
      null,
      null,
      null,
      null,
    ]);
  });
});
