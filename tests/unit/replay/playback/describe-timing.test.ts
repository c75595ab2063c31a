import { expect, it } from "vitest";
import { parseCassette, toRecording } from "#lib/replay/cassettes/index";
import { describeTiming } from "#lib/replay/playback/index";
import { sampleCassette } from "#tests/support/sample-cassette";

const recording = toRecording(parseCassette(Buffer.from(sampleCassette("legal/sample", "Hello."))));

it("tells a recording's first chunk and token, its pauses, and the bytes that had come by each moment", () => {
  const { firstChunkMs, firstTokenMs, medianDeltaMs, pauses, arrival } = describeTiming(recording);
  const dueMs = [...recording.dueMs];
  expect(firstChunkMs).toBe(dueMs[0]);
  expect(dueMs).toContain(firstTokenMs);
  expect(firstTokenMs).toBeGreaterThan(firstChunkMs);
  expect(medianDeltaMs).toBe(Math.floor(dueMs.length / 2));
  expect(pauses[0]).toEqual({ fromMs: dueMs.at(-2), pauseMs: dueMs.length - 1 });
  expect(pauses.map(({ pauseMs }) => pauseMs)).toEqual([dueMs.length - 1, dueMs.length - 2, dueMs.length - 3]);
  expect(arrival.map(({ atMs }) => atMs)).toEqual(dueMs);
  expect(arrival.at(-1)?.byteSize).toBe(recording.byteSize);
});

it("has no first token where none came, and no pause where there is one chunk", () => {
  const one = { ...recording, chunks: recording.chunks.slice(0, 1), dueMs: recording.dueMs.slice(0, 1) };
  expect(describeTiming(one)).toMatchObject({ firstTokenMs: null, pauses: [], medianDeltaMs: 0 });
});

it("draws long recordings with at most some hundred points, the last one among them", () => {
  const chunk = new Uint8Array(3);
  const long = {
    ...recording,
    chunks: Array.from({ length: 5_000 }, () => chunk),
    dueMs: Float64Array.from({ length: 5_000 }, (_, index) => index),
  };
  const { arrival } = describeTiming(long);
  expect(arrival.length).toBeLessThanOrEqual(602);
  expect(arrival.at(-1)).toEqual({ atMs: 4_999, byteSize: 15_000 });
});
