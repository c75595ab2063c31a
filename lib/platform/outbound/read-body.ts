import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { OutboundError } from "./outbound-error";

/** What a request says that it can read. */
export const acceptedEncodings = "gzip, deflate, br";

type Opener = (firstByte: number) => Transform;

const openers = new Map<string, Opener>([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  // Servers send deflate with zlib's header and without; the header's first half-byte says which.
  ["deflate", (first) => ((first & 0x0f) === 8 ? createInflate : createInflateRaw)()],
  ["br", () => createBrotliDecompress()],
]);

export type BodyOptions = {
  host: string;
  /** The `content-encoding` header. */
  encoding: string | undefined;
  maxByteSize: number;
  overflow: "fail" | "truncate";
};

/** One encoding at most: nested ones can burn time without ever passing the bound. */
function openerOf({ host, encoding }: BodyOptions): Opener | undefined {
  const name = (encoding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  const opener = openers.get(name);
  if (opener) return opener;
  throw new OutboundError("bad_encoding", `${host} sent a content encoding that was not asked for`);
}

function tooLarge({ host, maxByteSize }: BodyOptions): OutboundError {
  return new OutboundError("too_large", `the answer of ${host} is larger than ${maxByteSize} bytes`);
}

/** What comes over the wire, counted; keeps why it broke off, to tell that from a body that cannot be decoded. */
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
  // Errors of every part reach the reader through the last one.
  yield* pipeline(Readable.from(rejoin(first.value)), open(first.value[0] ?? 0), () => undefined);
}

/** Puts decoded parts together; nothing is read past the bound. */
async function collect(parts: AsyncIterable<Uint8Array>, options: BodyOptions): Promise<Uint8Array> {
  const { maxByteSize, overflow } = options;
  const kept: Uint8Array[] = [];
  let byteSize = 0;
  for await (const part of parts) {
    const room = maxByteSize - byteSize;
    if (part.byteLength > room && overflow === "fail") throw tooLarge(options);
    kept.push(part.subarray(0, room));
    byteSize += part.byteLength;
    if (byteSize > maxByteSize) break;
  }
  return Buffer.concat(kept);
}

/** Reads a body and undoes its encoding, both within the bound. Throws OutboundError, and what the source throws. */
export async function readBody(source: AsyncIterable<Uint8Array>, options: BodyOptions): Promise<Uint8Array> {
  const open = openerOf(options);
  const wire = new Wire(source, options);
  try {
    return await collect(open ? decode(wire.read(), open) : wire.read(), options);
  } catch (error) {
    if (error === wire.failure || error instanceof OutboundError) throw error;
    throw new OutboundError("bad_encoding", `the answer of ${options.host} does not follow its content encoding`, {
      cause: error,
    });
  }
}
