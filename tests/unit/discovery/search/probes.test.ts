import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { sitePages } from "#lib/discovery/documents/index";
import { search } from "#lib/discovery/search/index";
import type { Database } from "#lib/platform/database/index";
import type { Catalogue } from "#lib/replay/cassettes/index";
import bundledVendors from "../../../../content/vendors/catalogue.json" with { type: "json" };
import { bundledCatalogue, searchContext } from "./search-context";

const probeSchema = z.record(z.string(), z.array(z.string()).min(1));
const { typos, prefixes, newcomers, pages } = z
  .object({ typos: probeSchema, prefixes: probeSchema, newcomers: probeSchema, pages: probeSchema })
  .parse(parse(readFileSync(join(import.meta.dirname, "probes.yaml"), "utf8")));

let catalogue: Catalogue;
beforeAll(() => {
  catalogue = bundledCatalogue();
});

/** The vendors of the catalogue and a sample vendor, as the database returns them. */
const vendors = [
  ...bundledVendors.vendors,
  { slug: "quarrydb", name: "QuarryDB (sample)", domain: "quarrydb.example", category: "database" },
].map(({ slug, name, domain, category }) => ({ slug, name, domain, category, summary: null }));
const vendorDatabase = { $queryRaw: async () => vendors } as unknown as Database;

async function firstThree(q: string, partial: boolean, database?: Database): Promise<string[]> {
  const context = { ...searchContext(catalogue, "developer-tools"), database };
  const { hits } = await search(context, { q, limit: 3, partial });
  return hits.map(({ id }) => id);
}

/** Returns the probes that find none of their documents, with what they find. */
async function failing(probes: Record<string, string[]>, partial: boolean, database?: Database): Promise<unknown[]> {
  const results = await Promise.all(
    Object.entries(probes).map(async ([q, wanted]) => ({ q, wanted, found: await firstThree(q, partial, database) })),
  );
  return results.filter(({ wanted, found }) => !found.some((id) => wanted.includes(id)));
}

describe("a search", () => {
  it("finds the page of each of 40 queries with a typo among the first three", async () => {
    expect(Object.keys(typos)).toHaveLength(40);
    expect(await failing(typos, false)).toEqual([]);
    expect(await failing(typos, true)).toEqual([]);
  });

  it("finds the page of each of 40 beginnings of words while they are typed among the first three", async () => {
    expect(Object.keys(prefixes)).toHaveLength(40);
    expect(await failing(prefixes, true)).toEqual([]);
  });

  it("finds what newcomers ask for among the first three, pages and vendors alike", async () => {
    expect(await failing(newcomers, false, vendorDatabase)).toEqual([]);
    expect(await failing(typos, false, vendorDatabase)).toEqual([]);
    for (const q of ["what is tapedeck", "git apply", "x.ai", "quary"]) {
      expect([q, (await firstThree(q, false, vendorDatabase))[0]]).toEqual([q, newcomers[q]?.[0]]);
    }
  });

  it("finds the pages of the site by what they answer, among the first three", async () => {
    expect(await failing(pages, false, vendorDatabase)).toEqual([]);
    for (const path of Object.keys(sitePages) as (keyof typeof sitePages)[]) {
      const { title, description } = sitePages[path];
      for (const q of [title, `${title} ${description}`])
        expect([q, (await firstThree(q, false, vendorDatabase))[0]]).toEqual([q, `site${path}`]);
    }
  });

  it("ranks decision records below the pages that they explain", async () => {
    for (const q of ["mcp", "mcp sessions", "test my app", "security score", "webhooks", "search", "queues", "diffs"]) {
      const [first] = await firstThree(q, false);
      expect([q, first]).toEqual([q, expect.not.stringContaining("docs/decisions/")]);
    }
    expect(await firstThree("why a search index of our own", false)).toContain(
      "docs/decisions/2026-11-21-search-of-our-own",
    );
  });

  it("finds words that are written apart or together", async () => {
    for (const [q, id] of [
      ["webhook", "docs/webhooks"],
      ["web hook", "docs/webhooks"],
      ["dropin", "docs/drop-in"],
      ["drop-in", "docs/drop-in"],
      ["selfhosting", "docs/self-hosting"],
      ["quick start", "docs/quickstart"],
    ]) {
      expect([q, (await firstThree(q as string, false))[0]]).toEqual([q, id]);
    }
  });

  it("finds nothing for words that nothing resembles, and says what to try", async () => {
    const answer = await search(searchContext(catalogue), { q: "zzzqqq", limit: 3 });
    expect(answer).toMatchObject({ count: 0, hint: expect.stringMatching(/^No results\. Try /) });
    const common = await search(searchContext(catalogue), { q: "what is the", limit: 3 });
    expect(common.hint).toMatch(/^No results: .*common words/);
    expect(await search(searchContext(catalogue), { q: "webhook", limit: 3 })).not.toHaveProperty("hint");
  });

  it("corrects no numbers and no short words", async () => {
    expect(await firstThree("40404", false)).toEqual([]);
    expect(await firstThree("qx", false)).toEqual([]);
  });
});
