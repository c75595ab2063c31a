import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keptMs, PageCache } from "#lib/server/http/page-cache";
import { newNonce } from "#lib/server/http/page-headers";
import { markPartial, withPageResponse } from "#lib/server/http/page-response";
import { listen } from "#tests/support/listen";

let cache: PageCache;
let renderedCount = 0;
let closedCount = 0;
let change: (response: ServerResponse) => void;
let beforeRender: () => Promise<void>;

/** A page whose parts repeat each other's text, so that they are compressed with it, and that has the nonce in many places. */
function pageText(nonce: string): string {
  const script = `<script nonce="${nonce}">one script, and the next one like it</script>`;
  return `${script}${script}“${"é".repeat(2_000)}”${`${script} ${"text that comes again ".repeat(40)}`.repeat(60)}${nonce}`;
}

/** Sends a page as Next.js does: with the nonce of its policy in the text, and compressed if the client accepts that. */
function render({ headers }: IncomingMessage, response: ServerResponse): void {
  renderedCount += 1;
  const nonce = newNonce();
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.setHeader("Content-Security-Policy", `script-src 'nonce-${nonce}'`);
  change(response);
  if (response.writableEnded) return;
  if (headers["accept-encoding"] === "gzip" && !response.headersSent) {
    response.setHeader("Content-Encoding", "gzip");
    response.end(gzipSync(pageText(nonce)));
    return;
  }
  response.write(pageText(nonce).slice(0, 1_000));
  response.end(Buffer.from(pageText(nonce).slice(1_000)));
}

const server = createServer((request: IncomingMessage, response) => {
  response.once("close", () => {
    closedCount += 1;
  });
  const maxAgeMs = keptMs(request);
  if (maxAgeMs > 0) {
    const key = `${request.headers["x-site"]} ${request.url}`;
    if (cache.answer(key, request, response)) return;
    cache.keep(key, maxAgeMs, request, response);
  }
  void beforeRender().then(() => render(request, response));
});
const port = await listen(server);
beforeEach(() => {
  cache = new PageCache();
  renderedCount = 0;
  closedCount = 0;
  change = () => undefined;
  beforeRender = async () => undefined;
});
afterEach(() => vi.restoreAllMocks());

let passedMs = 0;
function mockClock(): void {
  const startMs = performance.now();
  passedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => startMs + passedMs);
}

/** Sets how much time has passed. The cache reads the clock once per millisecond, with a timer that fires before this one. */
async function pass(ms: number): Promise<void> {
  passedMs = ms;
  await setTimeout(1);
}

const nonceOf = (response: ServerResponse): string =>
  /'nonce-(.+?)'/.exec(String(response.getHeader("content-security-policy")))?.[1] ?? "";

async function read(path: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { accept: "text/html", ...headers },
  });
  const text = await response.text();
  const [, nonce = ""] = /'nonce-(.+?)'/.exec(response.headers.get("content-security-policy") ?? "") ?? [];
  return { nonce, text, encoding: response.headers.get("content-encoding"), link: response.headers.get("link") };
}

describe("a page that is the same for everyone", () => {
  it.each(["gzip", "identity"])("is rendered once, and has another nonce in each response (%s)", async (encoding) => {
    const pages = [];
    for (let count = 0; count < 3; count += 1) pages.push(await read("/docs/replay", { "accept-encoding": encoding }));
    expect(renderedCount).toBe(1);
    expect(new Set(pages.map(({ nonce }) => nonce)).size).toBe(3);
    for (const { nonce, text } of pages) expect(text).toBe(pageText(nonce));
    expect(pages.map((page) => page.encoding)).toEqual(Array(3).fill(encoding === "gzip" ? "gzip" : null));
  });

  it.each([
    ["/docs/replay", 60_000],
    ["/", 5_000],
    ["/vendors", 5_000],
  ])("%s is kept for %i ms", async (path, maxAgeMs) => {
    mockClock();
    await read(path);
    await pass(maxAgeMs - 1_000);
    await read(path);
    expect(renderedCount).toBe(1);
    await pass(maxAgeMs + 1_000);
    await read(path);
    expect(renderedCount).toBe(2);
  });

  it("is served expired while one request renders it again, for at most its age", async () => {
    mockClock();
    await read("/");
    await pass(6_000);
    const renders: (() => void)[] = [];
    beforeRender = () => new Promise((resolve) => void renders.push(resolve));
    let answeredCount = 0;
    const readAndCount = async () => {
      await read("/");
      answeredCount += 1;
    };
    const reads = Array.from({ length: 4 }, readAndCount);
    await expect.poll(() => renders.length + answeredCount).toBe(4);
    expect(renders).toHaveLength(1);
    await pass(11_000);
    reads.push(readAndCount());
    await expect.poll(() => renders.length + answeredCount).toBe(5);
    expect(renders).toHaveLength(2);
    for (const render of renders) render();
    await Promise.all(reads);
    await read("/");
    expect(renderedCount).toBe(3);
  });

  it("is rendered by the next request if that fails", async () => {
    mockClock();
    await read("/");
    await pass(6_000);
    change = (response) => Object.assign(response, { statusCode: 503 });
    await read("/");
    await expect.poll(() => closedCount).toBe(2);
    change = () => undefined;
    await read("/");
    expect(renderedCount).toBe(3);
  });

  it("is not kept if it lacks something", async () => {
    change = (response) => withPageResponse(response, markPartial);
    await read("/");
    await read("/");
    expect(renderedCount).toBe(2);
  });

  it("is not compressed for a client that refuses it", async () => {
    for (let count = 0; count < 2; count += 1) await read("/docs/replay", { "accept-encoding": "br, gzip;q=0" });
    expect((await read("/docs/replay", { "accept-encoding": "br, gzip;q=0" })).encoding).toBeNull();
    expect((await read("/docs/replay", { "accept-encoding": "gzip;q=0.5" })).encoding).toBe("gzip");
  });

  it("has its nonce in every header", async () => {
    change = (response) => {
      response.setHeader("Link", [`</a.js>; nonce="${nonceOf(response)}"`, "</b.js>"]);
    };
    await read("/docs/replay");
    const { nonce, link } = await read("/docs/replay");
    expect([renderedCount, link]).toEqual([1, `</a.js>; nonce="${nonce}", </b.js>`]);
  });

  it("is kept by its key", async () => {
    for (const path of ["/docs", "/docs/api/replay", "/changelog"])
      for (let count = 0; count < 2; count += 1) await read(path);
    expect(renderedCount).toBe(3);
    await read("/docs", { "x-site": "other" });
    expect(renderedCount).toBe(4);
  });

  it("is dropped for newer ones once they take more than 20 MiB, with the memory of their parts", async () => {
    change = (response) => void response.write(`${nonceOf(response)} `.repeat(20_000));
    const readPage = (number: number) => read(`/docs/${number}`, { "accept-encoding": "identity" });
    for (let number = 0; number < 8; number += 1) await readPage(number);
    await readPage(7);
    expect(renderedCount).toBe(8);
    await readPage(0);
    expect(renderedCount).toBe(9);
  });
});

const tooLong = Buffer.alloc(4 * 1024 * 1024 + 1);

function sendGzip(response: ServerResponse, body: Buffer): void {
  response.setHeader("Content-Encoding", "gzip");
  response.end(body);
}

describe("is rendered for each request", () => {
  it.each<[string, string, Record<string, string>, string?]>([
    ["another page", "/vendors/acme", {}],
    ["a page of a list", "/vendors?page=2", {}],
    ["a search", "/docs/search-results", {}],
    ["a query", "/docs/replay?q=a", {}],
    ["a part of a page", "/docs/replay", { rsc: "1" }],
    ["a server action", "/docs/replay", { "next-action": "a" }],
    ["a program", "/docs/replay", { accept: "*/*" }],
    ["HEAD", "/docs/replay", {}, "HEAD"],
  ])("%s", async (_name, path, headers, method) => {
    await read("/docs/replay");
    for (let count = 0; count < 2; count += 1) await read(path, headers, method);
    expect(renderedCount).toBe(3);
  });

  it.each([
    ["that is not found", (response: ServerResponse) => Object.assign(response, { statusCode: 404 })],
    ["that sets a cookie", (response: ServerResponse) => void response.setHeader("Set-Cookie", "a=b")],
    ["without a nonce", (response: ServerResponse) => response.removeHeader("Content-Security-Policy")],
    ["of another type", (response: ServerResponse) => void response.setHeader("Content-Type", "text/plain")],
    ["beyond 4 MiB", (response: ServerResponse) => void response.write(Buffer.alloc(4 * 1024 * 1024))],
    ["beyond 4 MiB of UTF-8", (response: ServerResponse) => void response.write("é".repeat(3 * 1024 * 1024))],
    ["beyond 4 MiB once decompressed", (response: ServerResponse) => sendGzip(response, gzipSync(tooLong))],
    ["that cannot be decompressed", (response: ServerResponse) => sendGzip(response, Buffer.from("not gzip"))],
    ["that breaks off", (response: ServerResponse) => void response.destroy()],
  ])("a page %s", async (_name, changed) => {
    change = changed;
    for (let count = 0; count < 2; count += 1) await read("/docs/replay").catch(() => undefined);
    expect(renderedCount).toBe(2);
  });
});
