import { expect, it } from "vitest";
import { parseCassette, toRecording } from "#lib/replay/cassettes/index";
import { describeTiming } from "#lib/replay/playback/index";
import { sampleCassette } from "#tests/support/sample-cassette";

const recording = toRecording(parseCassette(Buffer.from(sampleCassette("legal/sample", "Hello."))));

it("returns the times of the first chunk and token, the pauses, and the bytes received over time", () => {
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

it("has no first token in a recording without tokens, and no pause in one with a single chunk", () => {
  const one = { ...recording, chunks: recording.chunks.slice(0, 1), dueMs: recording.dueMs.slice(0, 1) };
  expect(describeTiming(one)).toMatchObject({ firstTokenMs: null, pauses: [], medianDeltaMs: 0 });
});

it("returns at most a few hundred points for a long recording, including the last one", () => {
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
