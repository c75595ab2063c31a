import {
  framingOf,
  type Provider,
  type RecordedEvent,
  readEvents,
  requireProvider,
  type TimedChunk,
} from "#lib/replay/providers/index";
import type { Cassette } from "./format";

/** A verified cassette ready to play: its bytes, and when each chunk is due. */
export type Recording = {
  id: string;
  provider: Provider;
  status: number;
  headers: Readonly<Record<string, string>>;
  provenance: Cassette["provenance"];
  end: Cassette["end"];
  chunks: readonly Uint8Array[];
  /** Milliseconds from the request to each chunk: prefix sums of `delta_ms`, so that rounding errors do not add up. */
  dueMs: Float64Array;
  byteSize: number;
};

type Played = Pick<Cassette, "id" | "provider" | "provenance" | "end"> & {
  response: Pick<Cassette["response"], "status" | "headers">;
};

export function toRecording({ cassette, chunks }: { cassette: Played; chunks: readonly TimedChunk[] }): Recording {
  const dueMs = new Float64Array(chunks.length);
  let atMs = 0;
  let byteSize = 0;
  for (const [index, { deltaMs, bytes }] of chunks.entries()) {
    atMs += deltaMs;
    byteSize += bytes.length;
    dueMs[index] = atMs;
  }
  return {
    id: cassette.id,
    provider: requireProvider(cassette.provider),
    // The messages of a WebSocket can be played as lines only.
    status: cassette.response.status === 101 ? 200 : cassette.response.status,
    headers: cassette.response.headers,
    provenance: cassette.provenance,
    end: cassette.end,
    chunks: chunks.map(({ bytes }) => bytes),
    dueMs,
    byteSize,
  };
}

export function readRecordingEvents({ headers, chunks, dueMs }: Recording): RecordedEvent[] {
  const timed = chunks.map((bytes, index) => ({ bytes, deltaMs: (dueMs[index] ?? 0) - (dueMs[index - 1] ?? 0) }));
  return readEvents(timed, framingOf(headers["content-type"]));
}
