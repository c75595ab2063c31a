import type { Readable } from "node:stream";
import type { Clock } from "#lib/platform/clock";
import type { TimedChunk } from "../integrity";
import { maxDeltaMs } from "../schemas";
import { decoderFor } from "./decoder";
import type { RecordLimits } from "./limits";
import { RecordError } from "./record-error";

export type BodyRead = {
  chunks: TimedChunk[];
  /** Bytes as they came, before any decoding. */
  wireByteSize: number;
  /** Why the body ended before its end. */
  failure: unknown;
};

type Options = {
  contentEncoding: string | undefined;
  sentAtMs: number;
  limits: RecordLimits;
  onChunk: (chunk: TimedChunk) => void;
};

/** Collects reads with the time of each; what a read decodes to keeps the read's time. */
class Collector {
  readonly chunks: TimedChunk[] = [];
  wireByteSize = 0;
  readonly #options: Options;
  #lastAtMs: number;

  constructor(options: Options) {
    this.#options = options;
    this.#lastAtMs = options.sentAtMs;
  }

  /** Counts bytes as they came: those that wait to be decoded take memory too. */
  count(bytes: Uint8Array): void {
    const { maxBodyByteSize } = this.#options.limits;
    this.wireByteSize += bytes.byteLength;
    if (this.wireByteSize <= maxBodyByteSize) return;
    throw new RecordError("bound", `The answer is larger than ${maxBodyByteSize} bytes, the most that is kept.`);
  }

  add(bytes: Uint8Array, atMs: number): void {
    if (bytes.byteLength === 0) return;
    const { maxChunkCount } = this.#options.limits;
    if (this.chunks.length >= maxChunkCount) {
      throw new RecordError("bound", `The answer came in more than ${maxChunkCount} pieces, the most that are kept.`);
    }
    const deltaMs = Math.max(0, atMs - this.#lastAtMs);
    if (deltaMs > maxDeltaMs) throw new RecordError("bound", `The answer paused for more than ${maxDeltaMs} ms.`);
    this.#lastAtMs = atMs;
    const chunk = { deltaMs, bytes };
    this.chunks.push(chunk);
    this.#options.onChunk(chunk);
  }
}

/**
 * Reads a body to its end, to its failure, or to a bound, measuring each read. It never throws: what came before a
 * failure is given with it, since a cut stream may be worth keeping.
 */
export async function readBody(clock: Clock, body: Readable, options: Options): Promise<BodyRead> {
  const collector = new Collector(options);
  const { contentEncoding, limits } = options;
  let failure: unknown;
  try {
    const decoder = decoderFor(contentEncoding, limits.maxBodyByteSize);
    // Decoding takes a moment and must not delay the clock: reads are timed as they come and decoded in a row.
    let decoded = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      body.on("data", (bytes: Uint8Array) => {
        const atMs = clock.monotonicMs();
        try {
          collector.count(bytes);
          if (!decoder) return collector.add(bytes, atMs);
          decoded = decoded.then(async () => collector.add(await decoder.decode(bytes), atMs));
          decoded.catch(reject);
        } catch (error) {
          reject(error);
        }
      });
      body.on("end", () => decoded.then(resolve, reject));
      body.on("error", (error) => decoded.then(() => reject(error), reject));
      body.on("close", () => decoded.then(() => reject(new RecordError("cut", "The connection was closed.")), reject));
    }).finally(() => decoder?.close());
  } catch (error) {
    failure = error;
  }
  body.on("error", () => undefined);
  body.destroy();
  return { chunks: collector.chunks, wireByteSize: collector.wireByteSize, failure };
}
