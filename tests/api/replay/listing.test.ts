import { describe, expect, inject, it } from "vitest";
import { bundledIds, countBundled } from "#tests/support/bundled-cassettes";
import { readStream } from "#tests/support/read-stream";

const port = () => new URL(inject("baseUrl")).port;
const list = async (host?: string, headers: Record<string, string> = {}) =>
  readStream(`${inject("baseUrl")}/api/v1/cassettes`, { headers: { ...headers, ...(host ? { host } : {}) } });

describe("GET /api/v1/cassettes", () => {
  it.each(["legal", "finance", "small-business", "developer-tools"])(
    "lists only the cassettes of the site %s",
    async (slug) => {
      const { status, body } = await list(`${slug}.localhost:${port()}`);
      const listing = JSON.parse(body.toString());
      expect(status).toBe(200);
      expect(listing).toMatchObject({
        site: slug,
        vertical: slug,
        host: `${slug}.localhost:${port()}`,
        count: countBundled(slug),
      });
      expect(listing.cassettes).toHaveLength(countBundled(slug));
      for (const entry of listing.cassettes) {
        expect(entry).toEqual({
          slug: expect.stringMatching(/^[a-z0-9-]+$/),
          vertical: slug,
          title: expect.any(String),
          subtitle: expect.stringContaining("(authored)"),
          model: "tapedeck-authored",
          cassette_path: `${slug}/${entry.slug}.json`,
          replay_url: `http://${slug}.localhost:${port()}/api/v1/replay/${slug}/${entry.slug}`,
          tokens_per_replay: 0,
          protocol: expect.stringMatching(/^[a-z-]+$/),
          end: expect.stringMatching(/^(?:complete|truncated|error)$/),
          turn: expect.any(Number),
          turns: expect.any(Number),
          tools: expect.any(Array),
          request: { method: "POST", path: expect.stringMatching(/^\/[\w/.:-]+$/), model: expect.any(String) },
          provenance: "authored",
          duration_ms: expect.any(Number),
          chunk_count: expect.any(Number),
          byte_size: expect.any(Number),
        });
        expect(entry.turn).toBeLessThanOrEqual(entry.turns);
      }
      const slugs = listing.cassettes.map((entry: { slug: string }) => entry.slug);
      expect(slugs).toEqual([...slugs].sort());
      const turns = { legal: 3, finance: 3, "small-business": 2, "developer-tools": 3 }[slug];
      expect(Math.max(...listing.cassettes.map((entry: { turns: number }) => entry.turns))).toBe(turns);
    },
  );

  it("serves the default site at 127.0.0.1, localhost and any unknown host", async () => {
    for (const host of [undefined, `localhost:${port()}`, "who.knows.example"]) {
      expect(JSON.parse((await list(host)).body.toString()).site).toBe("developer-tools");
    }
  });

  it("lists another vertical and one protocol on request, and refuses unknown ones", async () => {
    const read = async (query: string) => {
      const { status, body } = await readStream(`${inject("baseUrl")}/api/v1/cassettes?${query}`);
      return { status, ...JSON.parse(body.toString()) };
    };
    const finance = await read("vertical=finance");
    expect(finance).toMatchObject({ site: "developer-tools", vertical: "finance", count: countBundled("finance") });
    const protocols = async (query: string) =>
      (await read(query)).cassettes.map(({ protocol }: { protocol: string }) => protocol);
    expect(new Set(await protocols("vertical=finance&protocol=anthropic"))).toEqual(new Set(["anthropic"]));
    expect((await protocols("vertical=finance")).length).toBe(countBundled("finance"));
    const all = await read("vertical=all");
    expect(all).toMatchObject({ site: "developer-tools", vertical: "all", count: bundledIds.length });
    expect(new Set(await protocols("vertical=all&protocol=gemini"))).toEqual(new Set(["gemini"]));
    for (const query of ["vertical=medical", "protocol=soap"])
      expect(await read(query)).toMatchObject({ status: 400, code: "bad_request" });
  });
});
