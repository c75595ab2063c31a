import { beforeAll, describe, expect, it } from "vitest";
import { maxResultLength } from "#lib/contract/tool";
import { loadPages } from "#lib/discovery/content/index";
import { sitePages } from "#lib/discovery/documents/index";
import { search, searchTools } from "#lib/discovery/search/index";
import { searchAnswerSchema } from "#lib/discovery/search/schemas";
import { bundledModels } from "#lib/models/index";
import type { Catalogue } from "#lib/replay/cassettes/index";
import { countBundled } from "#tests/support/bundled-cassettes";
import { catalogueOver } from "#tests/support/sample-cassette";
import { bundledCatalogue, MemoryStore, searchContext } from "./search-context";

describe("a search", () => {
  let catalogue: Catalogue;
  /** Pages of the docs and the site, and models, which have a page each. */
  let pageCount = 0;
  beforeAll(async () => {
    catalogue = bundledCatalogue();
    pageCount = (await loadPages()).length + Object.keys(sitePages).length + bundledModels(new Date()).models.length;
  });

  it("finds cassettes by title, prompt and assistant text, and pages by their text, with the specified fields", async () => {
    const context = searchContext(catalogue, "legal");
    const answer = await search(context, { q: "Break-clause notices?", limit: 10 });
    expect(searchAnswerSchema.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({
      q: "Break-clause notices?",
      corpus_size: countBundled("legal") + pageCount,
      backend: "in-memory-bm25-lite",
    });
    expect(answer.count).toBe(answer.hits.length);
    expect(answer.hits[0]).toEqual({
      id: "legal/break-clause-notice",
      surface: "replay",
      kind: "cassette",
      title: "Serving a break notice on a commercial lease",
      url: "https://replay.example.com/replay/legal/break-clause-notice",
      replay_url: "https://replay.example.com/api/v1/replay/legal/break-clause-notice",
      score: expect.any(Number),
      snippet: expect.stringMatching(/notice/i),
    });
    const idsOf = async (q: string) => (await search(context, { q, limit: 3 })).hits.map(({ id }) => id);
    expect(await idsOf("rent in Leeds, quarter days")).toContain("legal/break-clause-notice");
    expect(await idsOf("Mannai obvious slip")).toContain("legal/break-clause-notice");
    expect(await idsOf("verify the signature of a webhook")).toContain("docs/webhooks");
  });

  it("returns pages with their URL under /docs (/docs for the overview) and no replay_url", async () => {
    const { hits } = await search(searchContext(catalogue), {
      q: "overview what tapedeck is, where to start",
      limit: 50,
    });
    const page = hits.find(({ id }) => id === "docs/index");
    expect(page).toMatchObject({ surface: "page", url: "https://replay.example.com/docs" });
    expect(page).not.toHaveProperty("replay_url");
    expect(hits.find(({ id }) => id === "docs/quickstart")?.url).toBe("https://replay.example.com/docs/quickstart");
  });

  it("covers only the current site's cassettes, and all pages", async () => {
    const legal = await search(searchContext(catalogue, "legal"), { q: "bond duration convexity", limit: 50 });
    const finance = await search(searchContext(catalogue, "finance"), { q: "bond duration convexity", limit: 50 });
    expect(finance.hits[0]?.id).toBe("finance/bond-duration");
    expect(legal.hits.map(({ id }) => id)).not.toContain("finance/bond-duration");
    for (const { id, surface } of legal.hits) expect(id.startsWith(surface === "page" ? "docs/" : "legal/")).toBe(true);
  });

  it("finds models by every part of their names, the named one first, and nothing less for it", async () => {
    const find = async (q: string) => (await search(searchContext(catalogue), { q, limit: 5 })).hits;
    const [first] = await find("gpt-5-mini");
    expect(first).toMatchObject({
      ...{ id: "models/openai/gpt-5-mini", kind: "model", surface: "page" },
      ...{ url: "https://replay.example.com/models/openai/gpt-5-mini", snippet: expect.stringMatching(/2026-12-11/) },
    });
    const snippets = ["gemini 2.5 flash", "chatgpt-4o-latest"].map(async (q) => (await find(q))[0]?.snippet);
    expect(await Promise.all(snippets)).toEqual([
      expect.stringContaining("may end at any time: the earliest date, 2026-10-16, has passed"),
      expect.stringContaining("replaced by gpt-5.6-sol"),
    ]);
    for (const [q, id] of [
      ["when does GPT-5 mini end", "models/openai/gpt-5-mini"],
      ["gpt-4.1", "models/openai/gpt-4.1"],
      ["claude-sonnet-4-5", "models/anthropic/claude-sonnet-4-5-20250929"],
      ["us.anthropic.claude-sonnet-4-20250514-v1:0", "models/anthropic/claude-sonnet-4-20250514"],
      ["gemini 2.0 flash", "models/google/gemini-2.0-flash"],
      ["claude-sonnet-4-20250514", "models/anthropic/claude-sonnet-4-20250514"],
      ["chat", "developer-tools/read-stream"],
      ["embeddings", "docs/drop-in"],
    ])
      expect([q, (await find(q as string))[0]?.id]).toEqual([q, id]);
  });

  it("has no hits for stopwords, single letters or other scripts", async () => {
    for (const q of ["what is the", "a b c", "そば", " "]) {
      const answer = await search(searchContext(catalogue), { q, limit: 10 });
      expect([answer.count, answer.hits, answer.corpus_size]).toEqual([
        0,
        [],
        countBundled("developer-tools") + pageCount,
      ]);
    }
  });

  it("returns at most the requested number of hits, in the same order", async () => {
    const all = (await search(searchContext(catalogue), { q: "stream cassette", limit: 50 })).hits;
    expect(all.length).toBeGreaterThan(10);
    expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).toSorted((a, b) => b - a));
    for (const limit of [1, 7]) {
      expect((await search(searchContext(catalogue), { q: "stream cassette", limit })).hits).toEqual(
        all.slice(0, limit),
      );
    }
  });

  it("orders hits with the same score by id", async () => {
    const store = new MemoryStore();
    for (const slug of ["c", "a", "d", "b"]) store.set(`developer-tools/${slug}1`, "xylophone");
    const { hits } = await search(searchContext(catalogueOver(store)), { q: "xylophone", limit: 10 });
    expect(new Set(hits.map(({ score }) => score)).size).toBe(1);
    expect(hits.map(({ id }) => id)).toEqual(["a1", "b1", "c1", "d1"].map((slug) => `developer-tools/${slug}`));
  });

  it("accepts a query of any length", async () => {
    const q = `break ${"x ".repeat(5_000)}${Array.from({ length: 3_000 }, (_, index) => `w${index}`).join(" ")}`;
    expect((await search(searchContext(catalogue, "legal"), { q, limit: 1 })).count).toBe(1);
  });
});

describe("the search tool", () => {
  const [tool] = searchTools;

  it("returns a result that matches its schema", async () => {
    const context = searchContext(bundledCatalogue(), "legal");
    const result = await tool!.run(context, tool!.input.parse({ query: "break clause" }));
    expect(tool!.output.parse(result)).toEqual(result);
    expect(result).toMatchObject({ query: "break clause", backend: "in-memory-bm25-lite" });
    expect(result.hits[0]?.id).toBe("legal/break-clause-notice");
  });

  it("omits the last hits if they do not fit into a result", async () => {
    const store = new MemoryStore();
    for (let number = 10; number < 60; number++)
      store.set(`developer-tools/n${number}`, `xylophone ${"word ".repeat(99)}`);
    const { hits } = await tool!.run(searchContext(catalogueOver(store)), { query: "xylophone", limit: 50 });
    expect(JSON.stringify(hits).length).toBeLessThan(maxResultLength + 100);
    expect(hits.length).toBeGreaterThan(20);
    expect(hits.length).toBeLessThan(50);
  });
});
