import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { setUpVendor } from "#tests/support/outbound-vendor";
import * as answers from "#tests/support/vendor-answers";

const { bytes } = answers;
const { requests, setAnswer, get, refusal } = setUpVendor();
const textOf = (body: Uint8Array) => Buffer.from(body).toString();

/** Sends a body in chunks, without saying how large it is. */
const chunked =
  (body: Uint8Array, headers: Record<string, string> = {}): answers.VendorAnswer =>
  ({ response }) => {
    response.writeHead(200, headers);
    for (let at = 0; at < body.byteLength; at += 100) response.write(body.subarray(at, at + 100));
    response.end();
  };

describe("the size of a body", () => {
  const exact = Buffer.alloc(1_000, "a");
  const larger = Buffer.alloc(1_001, "a");
  const gzip = { "content-encoding": "gzip" };

  it.each([
    ["that is announced", (body: Buffer) => bytes(body)],
    ["that is not announced", (body: Buffer) => chunked(body)],
    ["that is compressed", (body: Buffer) => bytes(gzipSync(body), gzip)],
    ["that is compressed and not announced", (body: Buffer) => chunked(gzipSync(body), gzip)],
  ])("%s may reach its bound and not pass it by a byte", async (_how, answerWith) => {
    setAnswer(answerWith(exact));
    expect((await get({ maxBodyByteSize: 1_000 })).body.byteLength).toBe(1_000);
    setAnswer(answerWith(larger));
    expect(await refusal({ maxBodyByteSize: 1_000 })).toBe("too_large");
  });

  it("is bounded as it comes, too: an encoding may also make a body larger", async () => {
    setAnswer(bytes(gzipSync("a"), gzip));
    expect(await refusal({ maxBodyByteSize: 10 })).toBe("too_large");
  });

  it.each([
    ["a bomb of gzip", () => answers.bomb(64 * 1024 * 1024)],
    ["a bomb of brotli", () => answers.bomb(64 * 1024 * 1024, "br")],
    ["a body without end", () => answers.endless(Buffer.alloc(65_536, "a"))],
    ["a bomb without end", () => answers.endless(gzipSync(Buffer.alloc(10_000_000)), gzip)],
  ])("ends %s at the default bound", async (_what, answer) => {
    setAnswer(answer());
    expect(await refusal()).toBe("too_large");
  });

  it("ends the body there instead, where that is asked for", async () => {
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

  it("are bounded in number", async () => {
    setAnswer(bytes("ok", many(150)));
    expect(await refusal()).toBe("status 200");
    setAnswer(bytes("ok", many(201)));
    expect(await refusal()).toBe("too_large");
  });

  it("are bounded in size", async () => {
    setAnswer(bytes("ok", { "x-long": "a".repeat(30 * 1024) }));
    expect(await refusal()).toBe("status 200");
    setAnswer(bytes("ok", { "x-long": "a".repeat(33 * 1024) }));
    expect(await refusal()).toBe("too_large");
  });

  it("come in lower case, repeated ones joined", async () => {
    setAnswer(({ response }) => {
      response.writeHead(200, { "X-Twice": ["a", "b"], ETag: '"1"' }).end();
    });
    expect((await get()).headers).toMatchObject({ "x-twice": "a, b", etag: '"1"' });
  });
});

describe("an encoding", () => {
  it.each([
    ["unknown", "zstd"],
    ["nested", "gzip, gzip"],
    ["not what the body has", "gzip"],
    ["not what the body has", "br"],
  ])("that is %s is refused", async (_why, encoding) => {
    setAnswer(bytes("# plain text that is no compressed body", { "content-encoding": encoding }));
    expect(await refusal()).toBe("bad_encoding");
  });

  it("that breaks off is refused, where the answer itself is complete", async () => {
    setAnswer(bytes(gzipSync("# text").subarray(0, 15), { "content-encoding": "gzip" }));
    expect(await refusal()).toBe("bad_encoding");
  });

  it("of an empty body does not matter", async () => {
    setAnswer(bytes("", { "content-encoding": "gzip" }));
    expect((await get()).body.byteLength).toBe(0);
  });

  it("is asked for by name", async () => {
    setAnswer(answers.file());
    await get();
    expect(requests()[0]?.headers["accept-encoding"]).toBe("gzip, deflate, br");
  });
});
