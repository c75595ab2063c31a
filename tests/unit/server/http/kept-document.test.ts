import { createServer } from "node:http";
import * as zlib from "node:zlib";
import { afterEach, expect, it, vi } from "vitest";
import { sites } from "#lib/contract/sites";
import { keptDocument } from "#lib/server/http/kept-document";
import { textReply, withETag, writeReply } from "#lib/server/http/reply";
import { listen } from "#tests/support/listen";

vi.mock("node:zlib", async (importOriginal) => {
  const original = await importOriginal<typeof zlib>();
  return { ...original, gzip: vi.fn(original.gzip) };
});
const compressedCount = () => vi.mocked(zlib.gzip).mock.calls.length;

const [site, otherSite] = sites as [(typeof sites)[number], (typeof sites)[number]];
const origin = "https://tapes.example";
let writtenCount = 0;
const document = (name: string, context = { origin, site }, maxAgeMs = 0) =>
  keptDocument(context, name, {
    contentType: "text/plain",
    maxAgeMs,
    write: () => {
      writtenCount += 1;
      return `${context.origin} ${writtenCount} ${"é".repeat(2_000)}`;
    },
  });

const server = createServer(async ({ url = "", method, headers }, response) => {
  const conditions = { ifNoneMatch: headers["if-none-match"] ?? null, ifModifiedSince: null };
  const [, byteSize] = /^\/answers\/(\d+)$/.exec(url) ?? [];
  const reply = byteSize ? textReply("a".repeat(Number(byteSize)), "application/json") : await document(url);
  writeReply(withETag(reply, conditions), method === "HEAD", response);
});
const port = await listen(server);
afterEach(() => vi.restoreAllMocks());

async function read(
  encoding: string,
  init: { method?: string; headers?: Record<string, string> } = {},
  path = "/a.txt",
) {
  const headers = { ...init.headers, "accept-encoding": encoding };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
  const [sent, etag = "", vary] = ["content-encoding", "etag", "vary"].map((name) => response.headers.get(name));
  return { status: response.status, text: await response.text(), encoding: sent, etag: etag ?? "", vary };
}

it("is written once for each address, site and name, or again after its age", async () => {
  const texts = [];
  for (const context of [
    { origin, site },
    { origin: "https://other.example", site },
    { origin, site: otherSite },
  ])
    for (const name of ["/b.txt", "/b.txt", "/c.txt"]) texts.push((await document(name, context)).body);
  expect(new Set(texts.map((body) => body.kind === "text" && body.text)).size).toBe(6);
  const before = writtenCount;
  const now = performance.now.bind(performance);
  await document("/d.txt", undefined, 5_000);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 5_001);
  // The cache reads the clock once per millisecond.
  await expect.poll(() => document("/d.txt", undefined, 5_000).then(() => writtenCount)).toBe(before + 2);
});

it("is written once for requests at the same time", async () => {
  const before = writtenCount;
  const replies = await Promise.all([1, 2, 3].map(() => document("/e.txt")));
  expect(writtenCount).toBe(before + 1);
  expect(new Set(replies.map(({ headers }) => headers.ETag)).size).toBe(1);
});

it("is written again if that failed", async () => {
  const write = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error("no store")).mockResolvedValue("text");
  const get = () => keptDocument({ origin, site }, "/f.txt", { contentType: "text/plain", write });
  const failures = await Promise.allSettled([get(), get()]);
  expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect((await get()).body).toMatchObject({ text: "text" });
  expect(write).toHaveBeenCalledTimes(2);
});

it("is compressed once, for the first client that accepts it", async () => {
  const before = compressedCount();
  await read("identity", {}, "/g.txt");
  expect(compressedCount()).toBe(before);
  await Promise.all([1, 2].map(() => read("gzip", {}, "/g.txt")));
  await read("gzip", {}, "/g.txt");
  expect(compressedCount()).toBe(before + 1);
});

it("a HEAD request has the headers of the compressed document, which is not compressed for it", async () => {
  const before = compressedCount();
  const { etag, ...head } = await read("gzip", { method: "HEAD" }, "/h.txt");
  expect(head).toEqual({ status: 200, text: "", encoding: "gzip", vary: "Accept-Encoding" });
  expect([compressedCount(), etag]).toEqual([before, (await read("gzip", {}, "/h.txt")).etag]);
});

it("other answers are compressed from 1,024 bytes to 4 MiB, and not kept", async () => {
  const [min, max] = [1_024, 4 * 1024 * 1024];
  const before = compressedCount();
  const encodings = [];
  for (const byteSize of [min - 1, min, min, max, max + 1])
    encodings.push((await read("gzip", {}, `/answers/${byteSize}`)).encoding);
  expect(encodings).toEqual([null, "gzip", "gzip", "gzip", null]);
  expect(compressedCount()).toBe(before + 3);
});

it("is dropped for newer ones that together take more than 14 MiB, at two bytes for each UTF-16 code unit", async () => {
  const write = vi.fn(() => "…".repeat(3 * 1024 * 1024));
  const get = (name: string) => keptDocument({ origin, site }, name, { contentType: "text/plain", write });
  for (const name of ["/1.txt", "/2.txt", "/3.txt", "/3.txt"]) await get(name);
  expect(write).toHaveBeenCalledTimes(3);
  await get("/1.txt");
  expect(write).toHaveBeenCalledTimes(4);
});

it("is compressed for who accepts it, with a weak tag, and not sent again to who has it", async () => {
  const [plain, zipped] = [await read("identity"), await read("gzip")];
  expect([plain.encoding, zipped.encoding, plain.vary, zipped.vary]).toEqual([
    ...[null, "gzip", "Accept-Encoding", "Accept-Encoding"],
  ]);
  expect(zipped.text).toBe(plain.text);
  expect(zipped.etag).toBe(`W/${plain.etag}`);
  for (const encoding of ["identity", "gzip"])
    for (const { etag } of [plain, zipped])
      expect(await read(encoding, { headers: { "if-none-match": etag } })).toMatchObject({ status: 304, text: "" });
});
