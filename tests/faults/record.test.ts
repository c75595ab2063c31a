import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { systemClock } from "#lib/platform/clock";
import { recordLimits } from "#lib/replay/cassettes/recorder/index";
import {
  type Answer,
  messageEvents,
  providerHeaders,
  sendPieces,
  sseOf,
  streamOf,
} from "#tests/support/provider-double";
import { setUpRecorder } from "#tests/support/recorder";

const events = messageEvents(["Hel", "lo ", "there, ", "naïve 🙂 reader."]);
const body = sseOf(...events);
const pieces = events.map((event) => sseOf(event));
const recorder = setUpRecorder();

describe("a recording", () => {
  test("stores the exact bytes, chunk boundaries, their timing and the provenance", async () => {
    const texts: string[] = [];
    const onDelta = ({ text }: { text: string }) => texts.push(text);
    const delayMs = 40;
    const recorded = await recorder.from(streamOf(body, { chunks: pieces, delayMs }), { context: { onDelta } });
    const { cassette, chunks, body: recordedBody } = await recorder.cassette();
    expect(recordedBody.equals(body)).toBe(true);
    expect(chunks.map(({ bytes }) => bytes.length)).toEqual(pieces.map(({ length }) => length));
    // A busy machine may read a piece late, and the next one sooner after it, but none before it was sent.
    let elapsedMs = 0;
    for (const [index, { deltaMs }] of chunks.entries()) {
      elapsedMs += deltaMs;
      expect(elapsedMs).toBeGreaterThan(0.9 * delayMs * (index + 1));
    }
    expect(texts.join("")).toBe("Hello there, naïve 🙂 reader.");
    expect(cassette.provenance).toMatchObject({
      kind: "recorded",
      timing: "measured",
      clock: "monotonic",
      boundary: "http-read",
      source: {
        request_id: "req_011CTestTestTestTestTest",
        base_url: recorder.provider.origin,
        model: "claude-test-1",
      },
    });
    expect(cassette.usage).toEqual({ input_tokens: 9, output_tokens: 4 });
    expect(recorded).toMatchObject({ chunkCount: pieces.length, bodyByteSize: body.length, end: "complete" });
    expect(recorded.firstTokenMs).toBeCloseTo(
      chunks.slice(0, 3).reduce((sum, { deltaMs }) => sum + deltaMs, 0),
      0,
    );
  });

  test("measures with the given clock from the time the request is sent", async () => {
    let nowMs = 5_000;
    const monotonicMs = () => {
      nowMs += 10;
      return nowMs;
    };
    await recorder.from(streamOf(body, { chunks: pieces, delayMs: 15 }), {
      context: { clock: { ...systemClock, monotonicMs } },
    });
    const { chunks } = await recorder.cassette();
    expect(chunks.map(({ deltaMs }) => deltaMs)).toEqual(pieces.map(() => 10));
  });

  test("sends no request if the cassette already exists; with force it is replaced", async () => {
    await mkdir(join(recorder.folder, "legal"));
    await writeFile(join(recorder.folder, "legal/a.json"), "mine");
    await expect(recorder.from(streamOf(body))).rejects.toThrow(/it already exists. Replace it with --force/);
    expect(recorder.provider.requests).toEqual([]);
    expect(await readFile(join(recorder.folder, "legal/a.json"), "utf8")).toBe("mine");
    await recorder.at(recorder.provider.origin, { destination: { folder: recorder.folder, force: true } });
    expect((await recorder.cassette()).body.equals(body)).toBe(true);
  });
});

describe("a server that compresses although not asked to", () => {
  const flushedGzip = () => zlib.createGzip();
  const encoders: [string, () => zlib.Gzip | zlib.BrotliCompress | zlib.Deflate, number][] = [
    ["gzip", flushedGzip, zlib.constants.Z_SYNC_FLUSH],
    ["deflate", () => zlib.createDeflate(), zlib.constants.Z_SYNC_FLUSH],
    ["deflate", () => zlib.createDeflateRaw() as unknown as zlib.Deflate, zlib.constants.Z_SYNC_FLUSH],
    ["br", () => zlib.createBrotliCompress(), zlib.constants.BROTLI_OPERATION_FLUSH],
  ];

  // Node has zstd since 22.15, but the types are those of Node 20.
  const { createZstdCompress } = zlib as { createZstdCompress?: () => zlib.Gzip };
  const zstdFlush = (zlib.constants as unknown as { ZSTD_e_flush: number }).ZSTD_e_flush;
  if (createZstdCompress) encoders.push(["zstd", createZstdCompress, zstdFlush]);

  test.each(encoders)(
    "is recorded chunk by chunk (%s), and the cassette names the encoding",
    async (encoding, create, flush) => {
      let wireByteSize = 0;
      await recorder.from(async (response) => {
        response.writeHead(200, { ...providerHeaders, "content-encoding": encoding });
        const encoder = create();
        for (const piece of pieces) {
          encoder.write(piece);
          await new Promise<void>((flushed) => encoder.flush(flush, flushed));
          const encoded = encoder.read() as Buffer;
          wireByteSize += encoded.length;
          await sendPieces(response, [encoded], 15);
        }
        response.end();
      });
      const { cassette, chunks, body: recordedBody } = await recorder.cassette();
      expect(recordedBody.equals(body)).toBe(true);
      expect(chunks.map(({ bytes }) => bytes.length)).toEqual(pieces.map(({ length }) => length));
      expect(cassette.response.wire).toEqual({ content_encoding: encoding, bytes: wireByteSize });
    },
  );

  test("with a decompression bomb is refused", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(20_000_000, " "));
    const limits = { ...recordLimits, maxBodyByteSize: 1_000_000 };
    const answer: Answer = (response) => {
      response.writeHead(200, { ...providerHeaders, "content-encoding": "gzip" }).end(bomb);
    };
    await expect(recorder.from(answer, { context: { limits } })).rejects.toThrow(/larger than 1000000 bytes/);
    expect(await recorder.files()).toEqual([]);
  });

  test.each([
    ["x-unknown", /compressed the response with "x-unknown"/],
    ["gzip", /not valid gzip/],
    [
      "zstd",
      createZstdCompress ? /not valid zstd/ : /compressed the response with "zstd".*Node supports it since 22\.15/,
    ],
  ])("with data that cannot be decompressed is reported (%s)", async (encoding, message) => {
    const answer: Answer = (response) => {
      response.writeHead(200, { ...providerHeaders, "content-encoding": encoding }).end(body);
    };
    await expect(recorder.from(answer)).rejects.toThrow(message);
  });
});
