import type { VerifiedCassette } from "./parse-cassette";

/** A verified cassette made ready to play: its bytes, and when each chunk is due. */
export type Recording = {
  id: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  provenance: VerifiedCassette["cassette"]["provenance"];
  end: VerifiedCassette["cassette"]["end"];
  chunks: readonly Uint8Array[];
  /** Milliseconds from the request to each chunk: prefix sums of `delta_ms`, so that errors never add up. */
  dueMs: Float64Array;
  byteSize: number;
};

export function toRecording({ cassette, chunks }: VerifiedCassette): Recording {
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
    status: cassette.response.status,
    headers: cassette.response.headers,
    provenance: cassette.provenance,
    end: cassette.end,
    chunks: chunks.map(({ bytes }) => bytes),
    dueMs,
    byteSize,
  };
}

/** Recordings kept in memory, at most, in bytes of body; the least recently played go first. */
export const maxCachedByteSize = 256 * 1024 * 1024;

/** The most recently played recordings, bounded by their bytes. */
export class RecordingCache {
  readonly #recordings = new Map<string, Recording>();
  readonly #maxByteSize: number;
  #byteSize = 0;

  constructor(maxByteSize = maxCachedByteSize) {
    this.#maxByteSize = maxByteSize;
  }

  get(id: string): Recording | undefined {
    const recording = this.#recordings.get(id);
    if (recording) {
      this.#recordings.delete(id);
      this.#recordings.set(id, recording);
    }
    return recording;
  }

  set(recording: Recording): void {
    this.delete(recording.id);
    this.#recordings.set(recording.id, recording);
    this.#byteSize += recording.byteSize;
    for (const id of this.#recordings.keys()) {
      if (this.#byteSize <= this.#maxByteSize || id === recording.id) return;
      this.delete(id);
    }
  }

  delete(id: string): void {
    this.#byteSize -= this.#recordings.get(id)?.byteSize ?? 0;
    this.#recordings.delete(id);
  }
}
