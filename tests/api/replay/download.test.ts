import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { parseCassette } from "#lib/replay/cassettes/index";
import { adapters } from "#tests/support/adapters";

const folder = resolve(import.meta.dirname, "../../../content/cassettes");
const fileOf = (id: string) => readFile(join(folder, `${id}.json`));
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe.each(adapters)("a cassette's file from the %s adapter", (_, originOf) => {
  const download = (path: string, init?: RequestInit) => fetch(`${originOf()}/api/v1/cassettes/${path}`, init);

  it("is downloaded as it is stored", async () => {
    const response = await download("legal/nda-review");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="nda-review.json"');
    expect((await bytesOf(response)).equals(await fileOf("legal/nda-review"))).toBe(true);
  });

  it.each([
    ["legal/german-lease-terms", "german-lease-terms.sse", "text/event-stream"],
    ["developer-tools/move-commits", "move-commits.ndjson", "application/x-ndjson"],
    ["developer-tools/ci-diagnosis-overloaded", "ci-diagnosis-overloaded.sse", "text/event-stream"],
  ])("%s has its recorded body as %s", async (id, name, type) => {
    const response = await download(`${id}?part=body`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, expect.stringContaining(type)]);
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
    const { chunks } = parseCassette(await fileOf(id));
    expect((await bytesOf(response)).equals(Buffer.concat(chunks.map(({ bytes }) => bytes)))).toBe(true);
  });

  it("has no body with HEAD", async () => {
    const response = await download("legal/nda-review", { method: "HEAD" });
    expect([response.status, response.headers.get("content-disposition")]).toEqual([
      200,
      'attachment; filename="nda-review.json"',
    ]);
    expect((await bytesOf(response)).length).toBe(0);
  });

  it.each(["legal/nda-review", "legal/german-lease-terms?part=body"])(
    "%s has a strong tag, by which it is not sent again",
    async (path) => {
      const first = await download(path, { headers: { "accept-encoding": "identity" } });
      const etag = String(first.headers.get("etag"));
      expect(etag).toMatch(/^"[\w-]{27}"$/);
      expect((await bytesOf(first)).length).toBeGreaterThan(0);
      const known = await download(path, { headers: { "if-none-match": etag } });
      expect([known.status, (await bytesOf(known)).length]).toEqual([304, 0]);
      const other = await download(path, { headers: { "if-none-match": '"other"' } });
      expect(other.status).toBe(200);
      expect((await bytesOf(other)).length).toBeGreaterThan(0);
    },
  );

  it.each([
    ["legal/nothing", 404, "not_found"],
    ["legal/..%2Fnda-review", 404, "not_found"],
    ["legal/nda-review?part=head", 400, "bad_request"],
  ])("%s is refused with %d", async (path, status, code) => {
    const response = await download(path);
    expect([response.status, (await response.json()).code]).toEqual([status, code]);
  });
});

it("the length of a file is told to a HEAD request", async () => {
  const init = { method: "HEAD", headers: { "accept-encoding": "identity" } };
  const { headers } = await fetch(`${inject("baseUrl")}/api/v1/cassettes/legal/nda-review`, init);
  expect(Number(headers.get("content-length"))).toBe((await fileOf("legal/nda-review")).length);
});

it("the page of a cassette links to its files and to its neighbours", async () => {
  const html = await (await fetch(`${inject("baseUrl")}/replay/legal/nda-review`)).text();
  for (const href of ["/api/v1/cassettes/legal/nda-review", "/api/v1/cassettes/legal/nda-review?part=body"])
    expect(html).toContain(`href="${href}"`);
  expect(html).toMatch(
    /<a rel="prev"[^>]* href="\/replay\/legal\/|<a [^>]*href="\/replay\/legal\/[^"]*"[^>]* rel="prev"/,
  );
});
