import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
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
