import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { OutboundError } from "./outbound-error";

/** Value of the `Accept-Encoding` header. */
export const acceptedEncodings = "gzip, deflate, br";

type Opener = (firstByte: number) => Transform;

const openers = new Map<string, Opener>([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  // Servers send deflate with or without zlib's header, which the low half of the first byte distinguishes.
  ["deflate", (first) => ((first & 0x0f) === 8 ? createInflate : createInflateRaw)()],
  ["br", () => createBrotliDecompress()],
]);

type BodyOptions = {
  host: string;
  /** The `content-encoding` header. */
  encoding: string | undefined;
  maxByteSize: number;
  overflow: "fail" | "truncate";
};

/** Accepts at most one encoding: nested ones can use CPU time without ever exceeding the size limit. */
function openerOf({ host, encoding }: BodyOptions): Opener | undefined {
  const name = (encoding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  const opener = openers.get(name);
  if (opener) return opener;
  throw new OutboundError("bad_encoding", `${host} sent a content encoding that was not requested`);
}

function tooLarge({ host, maxByteSize }: BodyOptions): OutboundError {
  return new OutboundError("too_large", `the response of ${host} is larger than ${maxByteSize} bytes`);
}

/** Counts the received bytes, and remembers a connection failure to distinguish it from a decoding failure. */
class Wire {
  failure: unknown;
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #options: BodyOptions;

  constructor(source: AsyncIterable<Uint8Array>, options: BodyOptions) {
    this.#source = source;
    this.#options = options;
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    const { maxByteSize, overflow } = this.#options;
    let byteSize = 0;
    try {
      for await (const part of this.#source) {
        byteSize += part.byteLength;
        if (byteSize > maxByteSize && overflow === "fail") throw tooLarge(this.#options);
        yield part;
        if (byteSize > maxByteSize) return;
      }
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

async function* decode(wire: AsyncGenerator<Uint8Array, void>, open: Opener): AsyncGenerator<Uint8Array, void> {
  const first = await wire.next();
  if (first.done) return;
  async function* rejoin(start: Uint8Array) {
    yield start;
    yield* wire;
  }
  // An error anywhere in the pipeline rejects its last stream.
  yield* pipeline(Readable.from(rejoin(first.value)), open(first.value[0] ?? 0), () => undefined);
}

/** Joins decoded parts, reading no further than the size limit. */
async function collect(parts: AsyncIterable<Uint8Array>, options: BodyOptions): Promise<Uint8Array> {
  const { maxByteSize, overflow } = options;
  const kept: Uint8Array[] = [];
  let byteSize = 0;
  for await (const part of parts) {
    const remaining = maxByteSize - byteSize;
    if (part.byteLength > remaining && overflow === "fail") throw tooLarge(options);
    kept.push(part.subarray(0, remaining));
    byteSize += part.byteLength;
    if (byteSize > maxByteSize) break;
  }
  return Buffer.concat(kept);
}

/** Reads and decodes a body, both within the size limit. Throws OutboundError, and what the source throws. */
export async function readBody(source: AsyncIterable<Uint8Array>, options: BodyOptions): Promise<Uint8Array> {
  const open = openerOf(options);
  const wire = new Wire(source, options);
  try {
    return await collect(open ? decode(wire.read(), open) : wire.read(), options);
  } catch (error) {
    if (error === wire.failure || error instanceof OutboundError) throw error;
    throw new OutboundError("bad_encoding", `the response of ${options.host} is not valid in its content encoding`, {
      cause: error,
    });
  }
}
