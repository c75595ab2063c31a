import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { setUpVendor } from "#tests/support/outbound-vendor";
import * as answers from "#tests/support/vendor-answers";

const { bytes } = answers;
const { requests, setAnswer, get, refusal } = setUpVendor();
const textOf = (body: Uint8Array) => Buffer.from(body).toString();

/** Sends a body in chunks, without a content-length. */
const chunked =
  (body: Uint8Array, headers: Record<string, string> = {}): answers.VendorAnswer =>
  ({ response }) => {
    response.writeHead(200, headers);
    for (let at = 0; at < body.byteLength; at += 100) response.write(body.subarray(at, at + 100));
    response.end();
  };

describe("the size limit of a body", () => {
  const exact = Buffer.alloc(1_000, "a");
  const larger = Buffer.alloc(1_001, "a");
  const gzip = { "content-encoding": "gzip" };

  it.each([
    ["with content-length", (body: Buffer) => bytes(body)],
    ["without content-length", (body: Buffer) => chunked(body)],
  ])("is exact to the byte: %s", async (_how, answerWith) => {
    setAnswer(answerWith(exact));
    expect((await get({ maxBodyByteSize: 1_000 })).body.byteLength).toBe(1_000);
    setAnswer(answerWith(larger));
    expect(await refusal({ maxBodyByteSize: 1_000 })).toBe("too_large");
  });

  it.each([
    ["an endless body", () => answers.endless(Buffer.alloc(65_536, "a"))],
    ["an endless gzip bomb", () => answers.endless(gzipSync(Buffer.alloc(10_000_000)), gzip)],
  ])("stops %s by default", async (_what, answer) => {
    setAnswer(answer());
    expect(await refusal()).toBe("too_large");
  });

  it("truncates the body with `overflow: truncate`", async () => {
    const long = gzipSync(Buffer.alloc(200_000, "a"));
    const bodies = [bytes(larger), chunked(larger), bytes(gzipSync(larger), gzip), bytes(long, gzip)];
    for (const answer of [...bodies, answers.endless(larger)]) {
      setAnswer(answer);
      const { body } = await get({ maxBodyByteSize: 1_000, overflow: "truncate" });
      expect(textOf(body)).toBe("a".repeat(1_000));
    }
  });
});

describe("the headers", () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "1"]));

  it("are limited in number", async () => {
    setAnswer(bytes("ok", many(150)));
    expect(await refusal()).toBe("status 200");
    setAnswer(bytes("ok", many(201)));
    expect(await refusal()).toBe("too_large");
  });

  it("are limited in size", async () => {
    setAnswer(bytes("ok", { "x-long": "a".repeat(30 * 1024) }));
    expect(await refusal()).toBe("status 200");
    setAnswer(bytes("ok", { "x-long": "a".repeat(33 * 1024) }));
    expect(await refusal()).toBe("too_large");
  });

  it("have lower-case names, and repeated headers are joined", async () => {
    setAnswer(({ response }) => {
      response.writeHead(200, { "X-Twice": ["a", "b"], ETag: '"1"' }).end();
    });
    expect((await get()).headers).toMatchObject({ "x-twice": "a, b", etag: '"1"' });
  });
});

describe("a content encoding", () => {
  it.each([
    ["unknown", "zstd"],
    ["nested", "gzip, gzip"],
    ["not that of the body", "gzip"],
    ["not that of the body", "br"],
  ])("that is %s is refused", async (_why, encoding) => {
    setAnswer(bytes("# plain text, not compressed", { "content-encoding": encoding }));
    expect(await refusal()).toBe("bad_encoding");
  });

  it("is ignored for an empty body", async () => {
    setAnswer(bytes("", { "content-encoding": "gzip" }));
    expect((await get()).body.byteLength).toBe(0);
  });

  it("is requested in accept-encoding", async () => {
    setAnswer(answers.file());
    await get();
    expect(requests()[0]?.headers["accept-encoding"]).toBe("gzip, deflate, br");
  });
});
