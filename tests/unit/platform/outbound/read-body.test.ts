import { getDefaultHighWaterMark } from "node:stream";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutboundError } from "#lib/platform/outbound/index";
import { readBody } from "#lib/platform/outbound/read-body";

const encoders = {
  identity: (body: Uint8Array) => Buffer.from(body),
  gzip: gzipSync,
  "x-gzip": gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
} satisfies Record<string, (body: Uint8Array) => Buffer>;
const encodings = fc.constantFrom(...(Object.keys(encoders) as (keyof typeof encoders)[]));

/** Returns a source in pieces of the given size that counts the bytes read from it. */
function sourceOf(body: Uint8Array, pieceByteSize: number) {
  const source = { takenByteSize: 0, read };
  async function* read() {
    for (let at = 0; at < body.byteLength; at += pieceByteSize) {
      const piece = body.subarray(at, at + pieceByteSize);
      source.takenByteSize += piece.byteLength;
      yield piece;
    }
  }
  return source;
}

function read(body: Uint8Array, encoding: string | undefined, { piece = 1_000, max = 1_000_000 } = {}) {
  const options = { host: "vendor.example", encoding, maxByteSize: max, overflow: "fail" as const };
  return readBody(sourceOf(body, piece).read(), options);
}

const reasonOf = (reading: Promise<Uint8Array>) =>
  reading.then(
    () => "read",
    (error: unknown) => (error instanceof OutboundError ? error.reason : error),
  );

describe("a body", () => {
  it("is decoded exactly for any encoding and any pieces", async () => {
    const body = fc.uint8Array({ maxLength: 5_000 });
    await fc.assert(
      fc.asyncProperty(body, encodings, fc.integer({ min: 1, max: 700 }), async (bytes, encoding, piece) => {
        expect(await read(encoders[encoding](bytes), encoding, { piece })).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it("with raw deflate data, without a zlib header, is decoded too", async () => {
    for (const text of ["", "# A heading\n", "a".repeat(5_000)])
      expect(Buffer.from(await read(deflateRawSync(text), "deflate", { piece: 3 })).toString()).toBe(text);
  });

  it("is accepted if and only if both its size and its compressed size are within the limit", async () => {
    const body = fc.uint8Array({ maxLength: 300, max: 3 });
    await fc.assert(
      fc.asyncProperty(body, encodings, fc.integer({ min: 1, max: 300 }), async (bytes, encoding, max) => {
        const encoded = encoders[encoding](bytes);
        const fits = Math.max(encoded.byteLength, bytes.byteLength) <= max;
        expect(await reasonOf(read(encoded, encoding, { max }))).toBe(fits ? "read" : "too_large");
      }),
    );
  });

  it("with truncated data is refused, never partly returned", async () => {
    const compressed = encodings.filter((encoding) => encoding !== "identity");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1 }), compressed, fc.nat(999), async (bytes, encoding, part) => {
        const encoded = encoders[encoding](bytes);
        const length = 1 + Math.floor((part / 1_000) * (encoded.byteLength - 2));
        expect(await reasonOf(read(encoded.subarray(0, length), encoding))).toBe("bad_encoding");
      }),
    );
  });

  it("of random bytes is either read or refused with a known reason", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), encodings, async (bytes, encoding) => {
        expect(["read", "bad_encoding", "too_large"]).toContain(await reasonOf(read(bytes, encoding)));
      }),
    );
  });

  const thin = Buffer.alloc(50 * 1024 * 1024);
  for (let at = 0; at < thin.byteLength; at += 200) thin[at] = Math.imul(at, 2_654_435_761) >>> 24;
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

  it.each(["gzip", "br"] as const)(
    "that is a %s bomb is not read further once it exceeds the limit",
    async (encoding) => {
      const bomb = encoding === "gzip" ? gzipSync(thin) : brotliCompressSync(thin, fast);
      const source = sourceOf(bomb, 16);
      const options = { host: "vendor.example", encoding, maxByteSize: 1_000_000, overflow: "fail" as const };
      expect(await reasonOf(readBody(source.read(), options))).toBe("too_large");
      // A stream reads ahead, 16 KiB on Node 20 and 64 KiB from Node 22 on.
      const taken = getDefaultHighWaterMark(false) + 34_000;
      expect(bomb.byteLength).toBeGreaterThan(taken);
      expect(source.takenByteSize).toBeLessThan(taken);
    },
  );

  it("rethrows an error of its source unchanged", async () => {
    const broken = new Error("connection lost");
    async function* source() {
      yield gzipSync("a".repeat(1_000)).subarray(0, 12);
      throw broken;
    }
    const options = { host: "vendor.example", maxByteSize: 1_000, overflow: "fail" as const };
    await expect(readBody(source(), { ...options, encoding: "gzip" })).rejects.toBe(broken);
    await expect(readBody(source(), { ...options, encoding: undefined })).rejects.toBe(broken);
  });
});
