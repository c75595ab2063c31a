import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BodySink, maxHeadByteSize, ResponseDecoder } from "#tests/bench/replay/response-decoder";

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/** Cuts bytes at the given positions, so that pieces can end anywhere. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function decode(pieces: readonly Buffer[]): { decoder: ResponseDecoder; body: Buffer } {
  const decoder = new ResponseDecoder();
  const parts: Buffer[] = [];
  const sink: BodySink = (buffer, start, end) => parts.push(Buffer.from(buffer.subarray(start, end)));
  // The load generator reads every piece into one large buffer that still holds the bytes of other sockets.
  const shared = Buffer.alloc(64 * 1024, "9\r\n");
  for (const piece of pieces) {
    piece.copy(shared, 0);
    decoder.push(shared, 0, piece.length, sink);
  }
  return { decoder, body: Buffer.concat(parts) };
}

const chunk = fc.tuple(
  fc.uint8Array({ minLength: 1, maxLength: 400 }),
  fc.constantFrom("", ";name=value", " ", ";a"),
  fc.boolean(),
);

function frame([bytes, extension, upperCase]: [Uint8Array, string, boolean]): Buffer {
  const size = bytes.length.toString(16);
  return Buffer.concat([
    Buffer.from(`${upperCase ? size.toUpperCase() : size}${extension}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
}

const places = fc.array(fc.nat(10_000), { maxLength: 60 });

describe("the response decoder", () => {
  it("decodes any chunked body, wherever the pieces are cut", () => {
    const trailers = fc.constantFrom("", "X-Checksum: 1\r\n", "A: 1\r\nB: 2\r\n");
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 20 }), trailers, places, (chunks, trailer, cuts) => {
        const end = Buffer.from(`0\r\n${trailer}\r\n`);
        const { decoder, body } = decode(cut(Buffer.concat([Buffer.from(head), ...chunks.map(frame), end]), cuts));
        expect(body.equals(Buffer.concat(chunks.map(([bytes]) => bytes)))).toBe(true);
        expect(decoder.status).toBe(200);
        expect(decoder.headers["content-type"]).toBe("text/event-stream");
        expect(decoder.complete).toBe(true);
      }),
    );
  });

  it("is not complete before the last byte", () => {
    const bytes = Buffer.concat([Buffer.from(head), frame([Buffer.from("data"), "", false]), Buffer.from("0\r\n\r\n")]);
    for (let length = 0; length < bytes.length; length++) {
      const { decoder } = decode([bytes.subarray(0, length)]);
      decoder.close();
      expect(decoder.complete).toBe(false);
    }
  });

  it("reads a body with content-length, and one that ends with the connection", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), places, (bytes, cuts) => {
        const sized = Buffer.concat([
          Buffer.from(`HTTP/1.1 404 Not Found\r\ncontent-length: ${bytes.length}\r\n\r\n`),
          bytes,
        ]);
        const first = decode(cut(sized, cuts));
        expect(first.decoder.status).toBe(404);
        expect(first.decoder.complete).toBe(true);
        expect(first.body.equals(bytes)).toBe(true);
        const second = decode(cut(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), bytes]), cuts));
        expect(second.decoder.complete).toBe(false);
        second.decoder.close();
        expect(second.decoder.complete).toBe(true);
        expect(second.body.equals(bytes)).toBe(true);
      }),
    );
  });

  it.each([
    ["another protocol", "SSH-2.0-OpenSSH\r\n\r\n"],
    ["a size that is not a number", `${head}xyz\r\n`],
    ["an empty size line", `${head}\r\n`],
    ["a size of nine digits", `${head}123456789\r\n`],
    ["a chunk longer than its size", `${head}2\r\nabc\r\n`],
    ["bytes after the end", `${head}0\r\n\r\nHTTP/1.1 200 OK`],
    ["an endless head", `HTTP/1.1 200 OK\r\nX: ${"y".repeat(maxHeadByteSize)}`],
    ["an endless size line", `${head}1;${"y".repeat(2_000)}`],
  ])("refuses %s", (_, text) => {
    expect(() => decode([Buffer.from(text)])).toThrow();
  });
});
