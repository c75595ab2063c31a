import type { Readable, Transform } from "node:stream";
import * as zlib from "node:zlib";
import type { Clock } from "#lib/platform/clock";
import type { TimedChunk } from "#lib/replay/providers/index";
import { maxDeltaMs } from "../format";
import type { RecordLimits } from "./limits";
import { RecordError } from "./record-error";

/** Decodes a content encoding read by read, so that the bytes of each read keep their time. */
export type Decoder = {
  /** Returns the decoded bytes of a read; may be empty. Throws RecordError. */
  decode(bytes: Uint8Array): Promise<Uint8Array>;
  close(): void;
};

type Opener = (firstByte: number) => Transform;

// Node supports zstd since 22.15; the types are those of Node 20.
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };

const openGunzip: Opener = () => zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH });
const openers = new Map<string, Opener>([
  ["gzip", openGunzip],
  ["x-gzip", openGunzip],
  // Servers send deflate with or without zlib's header, which the low half of the first byte distinguishes.
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
      this.#fail(
        new RecordError("answer", `The response is not valid ${this.#encoding}: ${cause.message}.`, { cause }),
      );
    });
    this.#transform = transform;
    return transform;
  }

  /** Enforces the limit while decoding, because a little compressed data may expand to a lot. */
  #take(part: Uint8Array): void {
    this.#byteSize += part.byteLength;
    if (this.#byteSize <= this.#maxByteSize) this.#parts.push(part);
    else
      this.#fail(
        new RecordError("bound", `The response is larger than ${this.#maxByteSize} bytes, which is the limit.`),
      );
  }

  #fail(error: RecordError): void {
    this.#failure ??= error;
    this.#reject(this.#failure);
    this.#transform?.destroy();
  }
}

/** Returns a decoder for a `content-encoding` header, or undefined if there is nothing to decode. Throws RecordError. */
export function decoderFor(header: string | undefined, maxByteSize: number): Decoder | undefined {
  const encoding = (header ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return undefined;
  const open = openers.get(encoding);
  if (open) return new StreamDecoder(encoding, open, maxByteSize);
  const advice = encoding === "zstd" ? " Node supports it since 22.15." : "";
  throw new RecordError(
    "answer",
    `The server compressed the response with "${encoding}", which is not supported.${advice}`,
  );
}

export type BodyRead = {
  chunks: TimedChunk[];
  /** Bytes received, before decoding. */
  wireByteSize: number;
  /** Why the body ended early; undefined if it did not. */
  failure: unknown;
};

type Options = {
  contentEncoding: string | undefined;
  sentAtMs: number;
  limits: RecordLimits;
  onChunk: (chunk: TimedChunk) => void;
};

/** Collects the decoded bytes of each read with the time of the read. */
class Collector {
  readonly chunks: TimedChunk[] = [];
  wireByteSize = 0;
  readonly #options: Options;
  #lastAtMs: number;

  constructor(options: Options) {
    this.#options = options;
    this.#lastAtMs = options.sentAtMs;
  }

  /** Counts received bytes, because bytes that wait for decoding use memory too. */
  count(bytes: Uint8Array): void {
    const { maxBodyByteSize } = this.#options.limits;
    this.wireByteSize += bytes.byteLength;
    if (this.wireByteSize <= maxBodyByteSize) return;
    throw new RecordError("bound", `The response is larger than ${maxBodyByteSize} bytes, which is the limit.`);
  }

  add(bytes: Uint8Array, atMs: number): void {
    if (bytes.byteLength === 0) return;
    const { maxChunkCount } = this.#options.limits;
    if (this.chunks.length >= maxChunkCount) {
      throw new RecordError("bound", `The response has more than ${maxChunkCount} chunks, which is the limit.`);
    }
    const deltaMs = Math.max(0, atMs - this.#lastAtMs);
    if (deltaMs > maxDeltaMs)
      throw new RecordError("bound", `The response paused for more than ${maxDeltaMs} ms, which is the limit.`);
    this.#lastAtMs = atMs;
    const chunk = { deltaMs, bytes };
    this.chunks.push(chunk);
    this.#options.onChunk(chunk);
  }
}

/**
 * Reads a body until it ends, fails or exceeds a limit, and measures each read. It never throws: a failure is returned
 * with what was received before it, because a truncated stream may be worth keeping.
 */
export async function readBody(clock: Clock, body: Readable, options: Options): Promise<BodyRead> {
  const collector = new Collector(options);
  const { contentEncoding, limits } = options;
  let failure: unknown;
  try {
    const decoder = decoderFor(contentEncoding, limits.maxBodyByteSize);
    // Reads are timed when they arrive and decoded one after another, so that decoding does not delay the timestamps.
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
