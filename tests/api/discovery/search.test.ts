import { describe, expect, inject, it } from "vitest";
import { loadPages } from "#lib/discovery/content/index";
import type { SearchAnswer } from "#lib/discovery/search/index";
import { adapters } from "#tests/support/adapters";
import { countBundled } from "#tests/support/bundled-cassettes";
import { readStream } from "#tests/support/read-stream";

async function get(query: string, { origin = inject("baseUrl"), host }: { origin?: string; host?: string } = {}) {
  const { status, headers, body } = await readStream(`${origin}/api/v1/search${query}`, {
    headers: host ? { host } : {},
  });
  return { status, headers, body: JSON.parse(body.toString()) };
}

async function searchFor(q: string, options: Parameters<typeof get>[1] & { limit?: number } = {}) {
  const limit = options.limit ? `&limit=${options.limit}` : "";
  const { status, body } = await get(`?q=${encodeURIComponent(q)}${limit}`, options);
  expect(status).toBe(200);
  return body as SearchAnswer;
}

describe.each(adapters)("GET /api/v1/search on %s", (_name, origin) => {
  it("has cassettes, pages and vendors, which a search on a busy machine does not wait for", async () => {
    const withoutVendors = countBundled("developer-tools") + (await loadPages()).length;
    const corpusSize = async () => (await get("?q=quarrydb", { origin: origin() })).body.corpus_size;
    await expect.poll(corpusSize).toBeGreaterThan(withoutVendors);
  });

  it("returns the specified fields and no others", async () => {
    const { status, headers, body } = await get("?q=server-sent%20events", { origin: origin() });
    expect(status).toBe(200);
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(Object.keys(body).toSorted()).toEqual(["backend", "corpus_size", "count", "hits", "q"]);
    expect(body).toMatchObject({ q: "server-sent events", backend: "in-memory-bm25-lite", count: body.hits.length });
    expect(body.hits[0]).toMatchObject({ id: "developer-tools/explain-sse", surface: "replay", kind: "cassette" });
    for (const hit of body.hits as SearchAnswer["hits"]) {
      const keys = ["id", "kind", "score", "snippet", "surface", "title", "url"];
      const expected = hit.surface === "replay" ? [...keys, "replay_url"] : keys;
      expect(Object.keys(hit).toSorted()).toEqual(expected.toSorted());
      expect(hit.score).toBeGreaterThan(0);
      expect(hit.snippet.length).toBeLessThanOrEqual(280);
      for (const address of [hit.url, hit.replay_url ?? hit.url]) expect(address.startsWith(`${origin()}/`)).toBe(true);
    }
  });

  it("rejects a missing or empty q and an invalid limit, and names the parameter", async () => {
    for (const query of ["", "?q=", "?limit=5", "?q=a&q=b"]) {
      const { status, body } = await get(query, { origin: origin() });
      expect([status, body.code, body.status]).toEqual([400, "bad_request", 400]);
      expect(body.error).toContain('"q"');
    }
    for (const limit of ["0", "51", "-1", "1.5", "ten", ""]) {
      const { status, body } = await get(`?q=lease&limit=${limit}`, { origin: origin() });
      expect([limit, status, body.code]).toEqual([limit, 400, "bad_request"]);
      expect(body.error).toContain('"limit"');
    }
    const { status, body } = await get("?q=lease&partial=yes", { origin: origin() });
    expect([status, body.code]).toEqual([400, "bad_request"]);
    expect(body.error).toContain('"partial"');
  });
});

describe("a search", () => {
  it("returns URLs that respond", async () => {
    const { hits } = await searchFor("token bucket rate limit of a stream", { limit: 20 });
    expect(new Set(hits.map(({ surface }) => surface)).size).toBe(2);
    for (const { url, replay_url } of hits) {
      for (const address of replay_url ? [url, replay_url] : [url]) {
        expect([address, (await readStream(address, { method: "HEAD" })).status]).toEqual([address, 200]);
      }
    }
  });

  it("requires no key and ignores one, responds to HEAD, and supports revalidation", async () => {
    const url = `${inject("baseUrl")}/api/v1/search?q=lease`;
    const withKey = await readStream(url, { headers: { authorization: "Bearer ltf_broken" } });
    expect(withKey.status).toBe(200);
    const head = await readStream(url, { method: "HEAD" });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    const again = await readStream(url, { headers: { "if-none-match": String(withKey.headers.etag) } });
    expect(again.status).toBe(304);
    expect((await readStream(url, { method: "POST" })).status).toBe(405);
  });
});
