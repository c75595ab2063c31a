import { describe, expect, inject, it } from "vitest";
import { countBundled } from "#tests/support/bundled-cassettes";
import { readStream } from "#tests/support/read-stream";

const get = (path: string, host?: string) =>
  readStream(`${inject("baseUrl")}${path}`, { headers: host ? { host } : {} });
const port = () => new URL(inject("baseUrl")).port;

describe("GET /api/v1/replay", () => {
  it("describes replay with URLs at the origin of the request", async () => {
    const { status, headers, body } = await get("/api/v1/replay");
    const origin = inject("baseUrl");
    expect(status).toBe(200);
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(JSON.parse(body.toString())).toEqual({
      endpoint_pattern: `${origin}/api/v1/replay/{vertical}/{cookbook}`,
      example: `${origin}/api/v1/replay/developer-tools/ci-diagnosis-overloaded`,
      cassettes_listing: `${origin}/api/v1/cassettes`,
      random_url: `${origin}/api/v1/replay/random`,
      openapi: `${origin}/openapi.json`,
      methods: ["GET", "HEAD"],
      auth: "none",
      tokens_per_replay: 0,
      response_content_type: "text/event-stream; charset=utf-8",
    });
  });
});

describe("GET /api/v1/replay/random", () => {
  it("redirects to cassettes of the site's vertical, and eventually to all of them", async () => {
    const seen = new Set<string>();
    for (let attempt = 0; attempt < 200 && seen.size < countBundled("legal"); attempt += 1) {
      const { status, headers } = await get("/api/v1/replay/random", `legal.localhost:${port()}`);
      expect(status).toBe(302);
      expect(headers["cache-control"]).toBe("no-store");
      seen.add(String(headers.location));
    }
    expect(seen.size).toBe(countBundled("legal"));
    for (const url of seen)
      expect(url).toMatch(new RegExp(`^http://legal\\.localhost:${port()}/api/v1/replay/legal/[a-z0-9-]+$`));
  });

  it("leads to a stream", async () => {
    const { headers } = await get("/api/v1/replay/random?speed=max&ids=1&other=1");
    expect(headers.location).toMatch(/^[^?]+\?ids=1&speed=max$/);
    const { status } = await readStream(String(headers.location));
    expect(status).toBe(200);
    expect((await get("/api/v1/replay/random?speed=no")).status).toBe(400);
  });

  it("chooses among what the filters of the listing select, and does not pass them on", async () => {
    const { body } = await get("/api/v1/cassettes?vertical=all&protocol=gemini");
    const urls = JSON.parse(body.toString()).cassettes.map(({ replay_url }: { replay_url: string }) => replay_url);
    const choose = (query: string) => get(`/api/v1/replay/random?${query}`);
    for (const seed of "abcdefgh") {
      const { headers } = await choose(`vertical=all&protocol=gemini&seed=${seed}`);
      expect(urls).toContain(headers.location);
      expect((await choose(`vertical=legal&seed=${seed}`)).headers.location).toMatch(/\/replay\/legal\/[a-z0-9-]+$/);
    }
    for (const query of ["vertical=medical", "protocol=soap"]) expect((await choose(query)).status).toBe(400);
  });

  it("chooses the same with the same seed, and another with another", async () => {
    const choose = async (seed: string) =>
      String((await get(`/api/v1/replay/random?speed=max&seed=${seed}`)).headers.location);
    const seeds = Array.from({ length: 20 }, (_, seed) => `run-${seed}`);
    const chosen = await Promise.all(seeds.map(choose));
    expect(await Promise.all(seeds.map(choose))).toEqual(chosen);
    expect(new Set(chosen).size).toBeGreaterThan(2);
    expect(chosen.join()).not.toContain("seed");
    expect((await get("/api/v1/replay/random?seed=")).status).toBe(400);
  });
});
