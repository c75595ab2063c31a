import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { asksForConstantPage, PageCache } from "#lib/server/http/page-cache";
import { newNonce } from "#lib/server/http/page-headers";

let cache: PageCache;
let renderedCount = 0;
let change: (response: ServerResponse) => void;

/** Sends a page as Next.js does: in pieces, with the nonce of its policy in the text. */
function render(response: ServerResponse): void {
  renderedCount += 1;
  const nonce = newNonce();
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.setHeader("Content-Security-Policy", `script-src 'nonce-${nonce}'`);
  change(response);
  response.write(`<script nonce="${nonce}"></script>`);
  response.write(Buffer.from(`“${"é".repeat(2_000)}”`));
  response.end(`<script nonce="${nonce}"></script>`);
}

const server = createServer((request: IncomingMessage, response) => {
  if (asksForConstantPage(request)) {
    const key = `${request.headers["x-site"]} ${request.url}`;
    if (cache.answer(key, request, response)) return;
    cache.keep(key, request, response);
  }
  render(response);
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => void server.close(resolve)));
beforeEach(() => {
  cache = new PageCache();
  renderedCount = 0;
  change = () => undefined;
});

async function read(path: string, headers: Record<string, string> = {}, method = "GET") {
  const { port } = server.address() as AddressInfo;
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
    for (const { nonce, text } of pages)
      expect(text).toBe(`<script nonce="${nonce}"></script>“${"é".repeat(2_000)}”<script nonce="${nonce}"></script>`);
    expect(pages.map((page) => page.encoding)).toEqual([null, ...Array(2).fill(encoding === "gzip" ? "gzip" : null)]);
  });

  it("is not compressed for a client that refuses it", async () => {
    for (let count = 0; count < 2; count += 1) await read("/docs/replay", { "accept-encoding": "br, gzip;q=0" });
    expect((await read("/docs/replay", { "accept-encoding": "br, gzip;q=0" })).encoding).toBeNull();
    expect((await read("/docs/replay", { "accept-encoding": "gzip;q=0.5" })).encoding).toBe("gzip");
  });

  it("has its nonce in every header", async () => {
    change = (response) => {
      const [, nonce = ""] = /'nonce-(.+?)'/.exec(String(response.getHeader("content-security-policy"))) ?? [];
      response.setHeader("Link", [`</a.js>; nonce="${nonce}"`, "</b.js>"]);
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
});

describe("is rendered for each request", () => {
  it.each<[string, string, Record<string, string>, string?]>([
    ["another page", "/vendors", {}],
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
    ["that breaks off", (response: ServerResponse) => void response.destroy()],
  ])("a page %s", async (_name, changed) => {
    change = changed;
    for (let count = 0; count < 2; count += 1) await read("/docs/replay").catch(() => undefined);
    expect(renderedCount).toBe(2);
  });
});
