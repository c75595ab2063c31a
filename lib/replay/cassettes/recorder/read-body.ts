import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import type { TimedChunk } from "#lib/replay/providers/index";
import { maxCassetteByteSize, maxChunkCount, maxDeltaMs } from "../format";
import { RecordError } from "./record-error";

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

/** Whether a `content-encoding` header says that a body is compressed. */
export function isEncoded(header: string | undefined): boolean {
  return !["", "identity"].includes((header ?? "").trim().toLowerCase());
}

const tooLarge = (maxByteSize: number) =>
  new RecordError("bound", `The response is larger than ${maxByteSize} bytes, which is the limit.`);

/**
 * Decodes a body by its `content-encoding` header read by read, so that the bytes of each read keep their time. Throws
 * RecordError.
 */
export async function decodeReads(
  reads: readonly TimedChunk[],
  header: string | undefined,
  maxByteSize = maxCassetteByteSize,
): Promise<TimedChunk[]> {
  if (!isEncoded(header)) return [...reads];
  const encoding = (header ?? "").trim().toLowerCase();
  const open = openers.get(encoding);
  const advice = encoding === "zstd" ? " Node supports it since 22.15." : "";
  const unsupported = `The server compressed the response with "${encoding}", which is not supported.${advice}`;
  if (!open) throw new RecordError("answer", unsupported);
  const transform = open(reads[0]?.bytes[0] ?? 0);
  const chunks: TimedChunk[] = [];
  let parts: Buffer[] = [];
  let byteSize = 0;
  let failure: RecordError | undefined;
  let wake: () => void = () => undefined;
  transform.on("data", (part: Buffer) => {
    byteSize += part.length;
    parts.push(part);
    // A little compressed data may expand to a lot.
    if (byteSize > maxByteSize) transform.destroy(tooLarge(maxByteSize));
  });
  transform.on("error", (cause) => {
    const invalid = () =>
      new RecordError("answer", `The response is not valid ${encoding}: ${cause.message}.`, { cause });
    failure = cause instanceof RecordError ? cause : invalid();
    wake();
  });
  let waitedMs = 0;
  try {
    for (const { deltaMs, bytes } of reads) {
      waitedMs += deltaMs;
      await new Promise<void>((resolve) => {
        wake = resolve;
        transform.write(bytes, () => resolve());
      });
      if (failure) throw failure;
      if (parts.length === 0) continue;
      chunks.push({ deltaMs: waitedMs, bytes: Buffer.concat(parts) });
      [parts, waitedMs] = [[], 0];
    }
  } finally {
    transform.destroy();
  }
  return chunks;
}

/** Collects the reads of a body, each with the time since the one before. */
export class Reads {
  readonly chunks: TimedChunk[] = [];
  byteSize = 0;
  readonly #limits: { maxBodyByteSize: number; maxChunkCount: number };
  #lastAtMs: number;

  constructor(sentAtMs: number, limits = { maxBodyByteSize: maxCassetteByteSize, maxChunkCount }) {
    this.#lastAtMs = sentAtMs;
    this.#limits = limits;
  }

  /** Adds a read. Throws RecordError if the body exceeds a limit. */
  add(bytes: Uint8Array, atMs: number): TimedChunk {
    const { maxBodyByteSize, maxChunkCount } = this.#limits;
    this.byteSize += bytes.byteLength;
    if (this.byteSize > maxBodyByteSize) throw tooLarge(maxBodyByteSize);
    if (this.chunks.length >= maxChunkCount)
      throw new RecordError("bound", `The response has more than ${maxChunkCount} chunks, which is the limit.`);
    const deltaMs = Math.max(0, atMs - this.#lastAtMs);
    if (deltaMs > maxDeltaMs)
      throw new RecordError("bound", `The response paused for more than ${maxDeltaMs} ms, which is the limit.`);
    this.#lastAtMs = atMs;
    const chunk = { deltaMs, bytes };
    this.chunks.push(chunk);
    return chunk;
  }
}
