import type { Readable, Transform } from "node:stream";
import * as zlib from "node:zlib";
import type { Clock } from "#lib/platform/clock";
import type { TimedChunk } from "../integrity";
import { maxDeltaMs } from "../schemas";
import type { RecordLimits } from "./limits";
import { RecordError } from "./record-error";

/** Undoes a content encoding read by read, so that each read's bytes keep their time. */
export type Decoder = {
  /** What one read stands for; empty where it only began something. Throws RecordError. */
  decode(bytes: Uint8Array): Promise<Uint8Array>;
  close(): void;
};

type Opener = (firstByte: number) => Transform;

// Node has zstd from 22.15 on; the types are those of Node 20.
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };

const openGunzip: Opener = () => zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH });
const openers = new Map<string, Opener>([
  ["gzip", openGunzip],
  ["x-gzip", openGunzip],
  // Servers send deflate with zlib's header and without; the header's first half-byte says which.
  ["deflate", (first) => ((first & 0x0f) === 8 ? zlib.createInflate : zlib.createInflateRaw)()],
  ["br", () => zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH })],
]);
if (createZstdDecompress) openers.set("zstd", () => createZstdDecompress());

class StreamDecoder implements Decoder {
  readonly #encoding: string;
  readonly #open: Opener;
  readonly #maxByteSize: number;
  #transform: Transform | undefined;
  #parts: Uint8Array[] = [];
  #byteSize = 0;
  #failure: RecordError | undefined;
  #reject: (error: RecordError) => void = () => undefined;

  constructor(encoding: string, open: Opener, maxByteSize: number) {
    this.#encoding = encoding;
    this.#open = open;
    this.#maxByteSize = maxByteSize;
  }

  async decode(bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#failure) throw this.#failure;
    const transform = this.#transform ?? this.#start(bytes[0] ?? 0);
    await new Promise<void>((resolve, reject) => {
      this.#reject = reject;
      transform.write(bytes, () => resolve());
    });
    const decoded = Buffer.concat(this.#parts);
    this.#parts = [];
    return decoded;
  }

  close(): void {
    this.#transform?.destroy();
  }

  #start(firstByte: number): Transform {
    const transform = this.#open(firstByte);
    transform.on("data", (part: Uint8Array) => this.#take(part));
    transform.on("error", (cause) => {
      this.#fail(new RecordError("answer", `The answer is not valid ${this.#encoding}: ${cause.message}.`, { cause }));
    });
    this.#transform = transform;
    return transform;
  }

  /** A little compressed data may stand for a lot: the bound is kept while it is unpacked. */
  #take(part: Uint8Array): void {
    this.#byteSize += part.byteLength;
    if (this.#byteSize <= this.#maxByteSize) this.#parts.push(part);
    else
      this.#fail(
        new RecordError("bound", `The answer is larger than ${this.#maxByteSize} bytes, the most that is kept.`),
      );
  }

  #fail(error: RecordError): void {
    this.#failure ??= error;
    this.#reject(this.#failure);
    this.#transform?.destroy();
  }
}

/** A decoder for a `content-encoding` header; undefined where there is nothing to undo. Throws RecordError. */
export function decoderFor(header: string | undefined, maxByteSize: number): Decoder | undefined {
  const encoding = (header ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return undefined;
  const open = openers.get(encoding);
  if (open) return new StreamDecoder(encoding, open, maxByteSize);
  const advice = encoding === "zstd" ? " Node reads it from 22.15 on." : "";
  throw new RecordError(
    "answer",
    `The server compressed the answer with "${encoding}", which cannot be read.${advice}`,
  );
}

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
