import type { Recording } from "./recording";

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
