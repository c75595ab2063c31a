import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Cassette } from "#lib/replay/cassettes/index";
import { hashRequest } from "#lib/replay/cassettes/request";
import { setUpProxy } from "#tests/support/tape-proxy";

const tapes = setUpProxy();

const key = "co-4Nq8Wz1Lx7Rb2Tv9";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const url = () => `${tapes.proxy.baseUrl("bytes", "openai")}/embeddings`;

async function post(body: Uint8Array<ArrayBuffer>, added: Record<string, string> = {}) {
  const response = await fetch(url(), { method: "POST", headers: { ...headers, ...added }, body });
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
}

async function serve(bytes: Uint8Array, contentType = "application/json") {
  await tapes.serve((response) => void response.writeHead(200, { "content-type": contentType }).end(bytes));
  return tapes.start("auto");
}

/** Returns the request of the only recording, and all bytes of its file, with what is in base64 decoded. */
async function readStored() {
  const folder = join(tapes.folder, "tapes", "bytes");
  const [name = ""] = (await readdir(folder)).filter((each) => each !== "tape.json");
  const text = await readFile(join(folder, name), "latin1");
  const { request } = JSON.parse(text) as Cassette;
  const decoded = [...text.matchAll(/"b": ?"([^"]*)"/g)].map(([, bytes = ""]) => Buffer.from(bytes, "base64"));
  return { request, bytes: Buffer.concat([Buffer.from(text, "latin1"), ...decoded]) };
}

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
])(
  "a request that is compressed with %s is stored as its JSON without secrets, and matches in any compression",
  async (encoding, compress) => {
    const proxy = await serve(Buffer.from('{"data":[]}'));
    const json = { input: "a", note: `sent with ${key}` };
    const bytes = Buffer.from(JSON.stringify(json));
    expect(await post(Buffer.from(compress(bytes)), { "content-encoding": encoding })).toMatchObject({ status: 200 });
    expect(tapes.server.requests[0]?.headers["content-encoding"]).toBe(encoding);
    expect(await proxy.end("bytes")).toMatchObject({ recorded: 1, redactions: 1 });
    const { request, bytes: stored } = await readStored();
    expect(request.body).toEqual({ json: { input: "a", note: `sent with ${"*".repeat(key.length)}` } });
    expect(stored.includes(key)).toBe(false);
    await tapes.disconnect();
    await tapes.start("replay");
    expect(await post(Buffer.from(gzipSync(bytes)), { "content-encoding": "gzip" })).toMatchObject({ status: 200 });
  },
);

test.each([
  ["of an encoding that is not known", "compress", Buffer.from("\x1f\x9d\x90\xff", "latin1")],
  ["that is not complete", "gzip", gzipSync("a text that is cut").subarray(0, 20)],
  ["that is too large", "gzip", gzipSync(Buffer.alloc(33 * 1024 * 1024))],
])(
  "the answer to a compressed request %s is not stored, because it may have a secret",
  async (_what, encoding, bytes) => {
    const proxy = await serve(Buffer.from('{"data":[]}'));
    expect(await post(Buffer.from(bytes), { "content-encoding": encoding })).toMatchObject({ status: 200 });
    const report = await proxy.end("bytes");
    expect(report).toMatchObject({
      recorded: 0,
      misses: [{ failure: expect.stringContaining(`the "${encoding}" of`) }],
    });
  },
);

test("JSON whose content-encoding was left is stored as JSON, although it is also a deflate stream", async () => {
  await serve(Buffer.from('{"data":[]}'));
  const json = { input: "a" };
  await post(Buffer.from(JSON.stringify(json, null, 1)), { "content-encoding": "deflate" });
  await tapes.proxy.end("bytes");
  expect((await readStored()).request.body).toEqual({ json });
});

test("secrets in a request and an answer of bytes are masked, and the request matches", async () => {
  const binary = (text: string) =>
    Buffer.concat([Buffer.from([0xff, 0x00, 0x93]), Buffer.from(text), Buffer.from([0xfe])]);
  const proxy = await serve(binary(`you are ${key}`), "application/octet-stream");
  const sent = binary(`I am ${key} and gsk_aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5mN7pQ9sT1vX3z`);
  expect((await post(sent)).body.includes(key)).toBe(true);
  expect(await proxy.end("bytes")).toMatchObject({ recorded: 1, redactions: 3 });
  const { request, bytes } = await readStored();
  expect(request.redactions).toMatchObject([{ place: "" }, { place: "" }, { place: "response:11" }]);
  expect([bytes.includes(key), bytes.includes("gsk_aB3d")]).toEqual([false, false]);
  await tapes.disconnect();
  await tapes.start("replay");
  expect(await post(sent)).toMatchObject({ status: 200, body: binary(`you are ${"*".repeat(key.length)}`) });
});

test("a password in bytes is masked in a request, as in one of JSON, and stays in an answer", async () => {
  const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from('{"password":"swordfish"}')]);
  const proxy = await serve(bytes, "application/octet-stream");
  await post(bytes);
  expect(await proxy.end("bytes")).toMatchObject({ recorded: 1, redactions: 1 });
  const { request } = await readStored();
  expect(request.body).toEqual({
    b: Buffer.from(bytes.toString("latin1").replace("swordfish", "*********"), "latin1").toString("base64"),
  });
});

test("a long request of bytes is stored as its size and hash, and a miss tells these", async () => {
  const proxy = await serve(Buffer.from('{"data":[]}'));
  const sent = Buffer.alloc(20_000, "\x00\x01\x02\xff", "latin1");
  await post(sent);
  await proxy.end("bytes");
  const sha256 = createHash("sha256").update(sent).digest("hex");
  const stored = await readStored();
  expect(stored.request.body).toEqual({ json: { binary: { size: 20_000, sha256 } } });
  await tapes.disconnect();
  await tapes.start("replay");
  expect(await post(sent)).toMatchObject({ status: 200 });
  const missed = await post(sent.subarray(4));
  expect(missed.body.toString()).toContain("/binary/size was 20000 and is now 19996");
});

test.each([
  ["whole", Buffer.alloc(20_000, 0xff), (sent: Buffer) => ({ b: sent.toString("base64") })],
  ["as text", Buffer.alloc(300, 1), (sent: Buffer) => ({ s: sent.toString() })],
])("a request of bytes that version 1.0 stored %s still matches", async (_how, sent, bodyOf) => {
  const proxy = await serve(Buffer.from('{"data":[]}'));
  await post(sent);
  await proxy.end("bytes");
  const file = join(tapes.folder, "tapes", "bytes", "001.cassette.json");
  const { request, ...rest } = JSON.parse(await readFile(file, "utf8")) as Cassette;
  const whole = { ...request, body: bodyOf(sent) };
  await writeFile(file, JSON.stringify({ ...rest, request: { ...whole, sha256: hashRequest(whole) } }));
  await tapes.disconnect();
  await tapes.start("replay");
  expect(await post(sent)).toMatchObject({ status: 200 });
});

test("a request of control characters is stored in base64, since their escapes are longer", async () => {
  const proxy = await serve(Buffer.from('{"data":[]}'));
  const sent = Buffer.alloc(300, 1);
  await post(sent);
  await proxy.end("bytes");
  expect((await readStored()).request.body).toEqual({ b: sent.toString("base64") });
});

test("an answer that is too large is passed on, and counts as missed", async () => {
  await serve(Buffer.alloc(64 * 1024 * 1024 + 1, " "));
  const proxy = await tapes.start("record");
  expect((await post(Buffer.from("{}"))).body).toHaveLength(64 * 1024 * 1024 + 1);
  const report = await proxy.end("bytes");
  expect(report).toMatchObject({ recorded: 0, unwritten: 1, misses: [] });
  expect(report?.notes[0]).toContain("larger than 67108864 bytes");
});
