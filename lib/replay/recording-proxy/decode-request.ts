import { isUtf8 } from "node:buffer";
import * as zlib from "node:zlib";
import { encodeBody } from "#lib/replay/cassettes/index";

/** Largest body of a request, also when it is decompressed, in bytes. */
export const maxBodyByteSize = 32 * 1024 * 1024;

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer;

// Node supports zstd since 22.15; the types are those of Node 20.
const { zstdDecompressSync } = zlib as { zstdDecompressSync?: Decode };

const decoders = new Map<string, Decode>([
  ["gzip", zlib.gunzipSync],
  ["x-gzip", zlib.gunzipSync],
  // Clients send deflate with or without zlib's header, which the low half of the first byte distinguishes.
  [
    "deflate",
    (bytes, options) => (((bytes[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options),
  ],
  ["br", zlib.brotliDecompressSync],
  ...(zstdDecompressSync ? [["zstd", zstdDecompressSync] as const] : []),
]);

/** A body as it is compared and stored. `problem` says why it could not be decompressed, and so not be searched for secrets. */
type DecodedBody = { body: Uint8Array; problem?: string };

/** Decompresses the body of a request by its `content-encoding`. Tools that decompress bodies may leave the header: text stays as it is. */
export function decodeRequest(body: Uint8Array, header: string | readonly string[] | undefined): DecodedBody {
  const encoding = String(header ?? "")
    .trim()
    .toLowerCase();
  if (encoding === "" || encoding === "identity") return { body };
  const asItIs = encodeBody(body);
  // JSON that is indented by one space is also a valid raw deflate stream.
  if (asItIs === null || "json" in asItIs) return { body };
  try {
    const decode = decoders.get(encoding);
    if (!decode) throw new Error("it is not supported");
    return { body: decode(body, { maxOutputLength: maxBodyByteSize }) };
  } catch (error) {
    if (isUtf8(body)) return { body };
    return { body, problem: `the "${encoding}" of its request cannot be decompressed: ${(error as Error).message}` };
  }
}
