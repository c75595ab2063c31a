import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { loadPages } from "#lib/discovery/content/index";
import { sitePages } from "#lib/discovery/documents/index";
import { corpusIndex } from "#lib/discovery/search/corpus";
import type { SearchDocument } from "#lib/discovery/search/document";
import { passagesOf } from "#lib/discovery/search/hosted/passages";
import { searchHostedIndex } from "#lib/discovery/search/hosted/search-hosted-index";
import { type HostedIndex, upstashIndex } from "#lib/discovery/search/hosted/store";
import { keepHostedIndexInSync } from "#lib/discovery/search/hosted/sync-hosted-index";
import { LiveIndex, search, syncHostedIndex } from "#lib/discovery/search/index";
import { bundledModels } from "#lib/models/index";
import type { Database } from "#lib/platform/database/index";
import type { Catalogue } from "#lib/replay/cassettes/index";
import { bundledIds, countBundled } from "#tests/support/bundled-cassettes";
import { isExtended, propertyRuns } from "#tests/support/extended";
import { catalogueOver } from "#tests/support/sample-cassette";
import { UpstashSearchDouble, upstashSearchToken } from "#tests/support/upstash-search-double";
import { bundledCatalogue, MemoryStore, searchContext } from "./search-context";

const name = "tapedeck";
/** One catalogue, so that the index in memory is built once; each test has its own hosted index. */
const bundled = bundledCatalogue();
const input = { q: "break clause notice", limit: 5 };
let double: UpstashSearchDouble;
let hosted: HostedIndex;

beforeEach(async () => {
  double = await UpstashSearchDouble.start();
  hosted = upstashIndex({ url: double.origin, token: upstashSearchToken, name });
});

const modelCount = bundledModels(new Date()).models.length;

/** Resolves when the sync started by a search has ended. */
async function backgroundSync(context: ReturnType<typeof searchContext> & { hosted: HostedIndex }): Promise<void> {
  await keepHostedIndexInSync(context, context.hosted, corpusIndex(context));
}

/** Returns a context whose background sync has ended, so that later calls belong to a search. */
async function syncedContext(catalogue: Catalogue = bundled) {
  const context = { ...searchContext(catalogue, "legal"), hosted };
  await search(context, input);
  await backgroundSync(context);
  double.calls.length = 0;
  return context;
}

describe("the hosted search", () => {
  it("ranks if it responds; hits have the usual fields, with replays before pages on ties", async () => {
    const context = await syncedContext();
    const answer = await search(context, input);
    expect(answer.backend).toBe("hosted-ai-search");
    expect(double.calls).toEqual(["search"]);
    expect(answer.hits[0]).toMatchObject({ id: "legal/break-clause-notice", surface: "replay", score: 1 });
    expect(answer.hits[0]?.snippet).toMatch(/notice/i);
    expect(answer.corpus_size).toBe(
      countBundled("legal") + (await loadPages()).length + Object.keys(sitePages).length + modelCount,
    );
    const { hits } = await search(context, { q: "data", limit: 50 });
    const keys = hits.map(({ score, surface, id }) => [1 - score, surface === "replay" ? 0 : 1, id].join(" "));
    expect(keys).toEqual(keys.toSorted());
    expect(new Set(hits.map(({ surface }) => surface)).size).toBe(2);
  });

  it("is asked only for the site's cassettes and pages, and returns each document once", async () => {
    const context = await syncedContext();
    const { hits } = await search(context, { q: "the cassette of a bond and a lease", limit: 50 });
    expect(hits.length).toBeGreaterThan(5);
    for (const { id } of hits) expect(id).toMatch(/^(legal|docs)\//);
    expect(double.searches.at(-1)?.filter).toBe("@metadata.vertical IN ('legal', 'any')");
    expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
  });

  it("is not called for a query without searchable words", async () => {
    const context = await syncedContext();
    expect(await search(context, { q: "what is the", limit: 5 })).toMatchObject({ count: 0 });
    expect(double.calls).toEqual([]);
  });

  it("shows nothing that the site no longer has, even if the hosted index still has it", async () => {
    const store = new MemoryStore();
    store.set("legal/a1", "A xylophone.");
    store.set("legal/a2", "Another xylophone.");
    const catalogue = catalogueOver(store);
    const context = await syncedContext(catalogue);
    store.delete("legal/a1");
    await catalogue.refresh();
    const { hits, backend } = await search(context, { q: "xylophone", limit: 5 });
    expect([backend, hits.map(({ id }) => id)]).toEqual(["hosted-ai-search", ["legal/a2"]]);
  });

  it("falls back to memory while its index is empty", async () => {
    const context = { ...searchContext(bundled, "legal"), hosted };
    const ask = await search(context, input);
    expect([ask.backend, ask.hits[0]?.id]).toEqual(["in-memory-bm25-lite", "legal/break-clause-notice"]);
  });
});

describe("without the hosted search", () => {
  const failures: [string, () => unknown][] = [
    ["responds with 500", () => (double.mode = "down")],
    ["cuts the connection", () => (double.mode = "cut")],
    ["responds with invalid JSON", () => (double.mode = "garbage")],
    ["refuses connections", () => double.close()],
    ["never responds", () => (double.mode = "slow")],
  ];

  it.each(isExtended ? failures : [failures[0], failures[4]].filter((each) => each !== undefined))(
    "memory is used when it %s, which is logged once and without the token",
    async (_what, fail) => {
      const context = await syncedContext();
      const inMemory = await search({ ...context, hosted: undefined }, input);
      await fail();
      const index = new LiveIndex<SearchDocument>({
        idOf: ({ id }) => id,
        partsOf: ({ title }) => ({ head: title, body: "" }),
        isSame: () => true,
        compare: () => 0,
      });
      // A short timeout in place of three seconds; after it, the search knows of the outage too.
      expect(await searchHostedIndex({ ...context, timeoutMs: 300 }, index, input)).toBeUndefined();
      for (let ask = 0; ask < 3; ask++) expect(await search(context, input)).toEqual(inMemory);
      expect(context.lines.filter((line) => line.includes("the hosted search does not respond"))).toHaveLength(1);
      expect(context.lines.join("")).not.toContain(upstashSearchToken);
    },
  );

  it("a token that is invalid in a header is not logged either", async () => {
    const token = "secret\u0000token";
    const broken = upstashIndex({ url: double.origin, token, name });
    const context = { ...searchContext(bundled, "legal"), hosted: broken };
    expect((await search(context, input)).backend).toBe("in-memory-bm25-lite");
    await backgroundSync(context);
    expect(context.lines.join("")).toContain("does not respond");
    expect(context.lines.join("")).not.toMatch(/secret/);
  });

  it("one search retries after ten seconds, the others do not wait for it, and then its results are used again", async () => {
    let nowMs = 1_000_000;
    const clock = { now: () => new Date(), monotonicMs: () => nowMs };
    const context = { ...(await syncedContext()), clock };
    double.mode = "down";
    await search(context, input);
    expect(double.calls).toEqual(["search"]);
    nowMs += 9_999;
    expect((await search(context, input)).backend).toBe("in-memory-bm25-lite");
    expect(double.calls).toEqual(["search"]);
    nowMs += 1;
    await search(context, input);
    expect(double.calls).toEqual(["search", "search"]);
    expect(context.lines.filter((line) => line.includes("does not respond"))).toHaveLength(1);
    double.mode = "fine";
    nowMs += 10_000;
    const backends = await Promise.all([1, 2, 3].map(async () => (await search(context, input)).backend));
    expect(backends.toSorted()).toEqual(["hosted-ai-search", "in-memory-bm25-lite", "in-memory-bm25-lite"]);
    expect((await search(context, input)).backend).toBe("hosted-ai-search");
    expect(context.lines.filter((line) => line.includes("responds again"))).toHaveLength(1);
  });
});

describe("the sync", () => {
  const held = () => [...double.documentsOf(name).keys()].toSorted();

  it("uploads every site's cassettes and the pages, in passages that the service accepts", async () => {
    const context = { ...searchContext(bundled), hosted };
    const { passageCount, upsertedCount, deletedCount } = await syncHostedIndex(context);
    expect([upsertedCount, deletedCount, held().length]).toEqual([passageCount, 0, passageCount]);
    const documents = new Set(held().map((id) => id.split("#")[0]));
    expect(documents.size).toBe(
      bundledIds.length + (await loadPages()).length + Object.keys(sitePages).length + modelCount,
    );
    for (const vertical of ["legal", "finance", "small-business", "developer-tools"]) {
      expect([...documents].filter((id) => id?.startsWith(`${vertical}/`))).toHaveLength(countBundled(vertical));
    }
  });

  it("does nothing the second time, even with several concurrent syncs and pages of the listing", async () => {
    const context = { ...searchContext(bundled), hosted };
    await Promise.all([1, 2, 3].map(() => syncHostedIndex(context)));
    const before = held();
    double.calls.length = 0;
    expect(await syncHostedIndex(context)).toMatchObject({ upsertedCount: 0, deletedCount: 0 });
    expect(new Set(double.calls)).toEqual(new Set(["range"]));
    expect(double.calls.length).toBeGreaterThan(2);
    expect(held()).toEqual(before);
  });

  it("uploads vendors, finds them, and keeps them while the database does not respond", async () => {
    const vendor = { slug: "xylophone", name: "Xylophone", domain: "x.example", category: "cloud", summary: null };
    let monotonicMs = 0;
    const answers: (() => Promise<unknown>)[] = [
      async () => [vendor],
      () => Promise.reject(new Error("down")),
      async () => [],
    ];
    // Vendors are asked for by a query, models by a template, of which there are none.
    const $queryRaw = async (query: unknown) => (Array.isArray(query) ? [] : answers.shift()?.());
    const database = { $queryRaw } as unknown as Database;
    const base = searchContext(bundled, "legal");
    const context = { ...base, hosted, database, clock: { ...base.clock, monotonicMs: () => monotonicMs } };
    const isHeld = () => held().includes("vendors/xylophone#0");
    await syncHostedIndex(context);
    expect(isHeld()).toBe(true);
    const { backend, hits } = await search(context, { q: "xylophone", limit: 5 });
    expect([backend, hits]).toEqual([
      "hosted-ai-search",
      [expect.objectContaining({ id: "vendors/xylophone", surface: "page", kind: "vendor" })],
    ]);
    await backgroundSync(context);
    monotonicMs += 30_000;
    await syncHostedIndex(context);
    expect(isHeld()).toBe(true);
    await syncHostedIndex({ ...context, database: undefined as never });
    expect(isHeld()).toBe(true);
    monotonicMs += 30_000;
    await syncHostedIndex(context);
    expect(isHeld()).toBe(false);
  });

  it("uploads changes, deletes removed passages, and does not touch entries of others", async () => {
    const store = new MemoryStore();
    for (const number of [1, 2, 3]) store.set(`legal/a${number}`, `Text ${number}.`);
    const catalogue = catalogueOver(store);
    const context = { ...searchContext(catalogue, "legal"), hosted };
    const foreign = { id: "movie-1", content: { title: "A film" }, metadata: { genre: "drama" } };
    double.documentsOf(name).set(foreign.id, foreign);
    await syncHostedIndex(context);
    store.set("legal/a2", "Another text.");
    store.delete("legal/a3");
    await catalogue.refresh();
    expect(await syncHostedIndex(context)).toMatchObject({ upsertedCount: 1, deletedCount: 1 });
    expect(double.documentsOf(name).get("legal/a2#0")?.content.text).toContain("Another text.");
    expect(held()).toContain("movie-1");
    expect(held().filter((id) => id.startsWith("legal/"))).toEqual(["legal/a1#0", "legal/a2#0"]);
  });

  it("completes when it runs again after an interruption at any call", async () => {
    const context = { ...searchContext(bundled), hosted };
    const expected = await syncHostedIndex(context);
    const whole = held();
    const stops = Array.from({ length: double.calls.length - 1 }, (_, index) => index + 1);
    for (const stopAt of isExtended ? stops : [stops[0]!, stops.at(-1)!]) {
      double.indexes.clear();
      let calls = 0;
      const guard = <Result>(run: () => Promise<Result>) => {
        calls += 1;
        return calls > stopAt ? Promise.reject(new Error("stopped")) : run();
      };
      const stopping: HostedIndex = {
        search: hosted.search,
        list: (cursor) => guard(() => hosted.list(cursor)),
        upsert: (passages) => guard(() => hosted.upsert(passages)),
        delete: (ids) => guard(() => hosted.delete(ids)),
      };
      await expect(syncHostedIndex({ ...context, hosted: stopping })).rejects.toThrow("stopped");
      await syncHostedIndex(context);
      expect(held()).toEqual(whole);
    }
    expect(expected.passageCount).toBe(whole.length);
  });

  it("fails with the missing settings without configuration, and with the reason if the service does not respond", async () => {
    const context = searchContext(bundled);
    await expect(syncHostedIndex(context)).rejects.toThrow("UPSTASH_SEARCH_REST_URL");
    double.mode = "down";
    const failing = syncHostedIndex({ ...context, hosted });
    await expect(failing).rejects.toMatchObject({ code: "service_unavailable" });
    await expect(failing).rejects.toThrow("Internal Server Error");
  });

  it("runs automatically when the corpus has changed, and again after an hour", async () => {
    let nowMs = 0;
    const clock = { now: () => new Date(), monotonicMs: () => nowMs };
    const store = new MemoryStore();
    store.set("legal/a1", "A xylophone.");
    const catalogue = catalogueOver(store);
    const context = { ...searchContext(catalogue, "legal"), hosted, clock };
    const callsOfSync = async () => {
      double.calls.length = 0;
      await search(context, { q: "xylophone", limit: 5 });
      await backgroundSync(context);
      return double.calls.filter((call) => call !== "search");
    };
    expect(await callsOfSync()).toContain("upsert-data");
    expect(await callsOfSync()).toEqual([]);
    store.set("legal/a2", "A glockenspiel.");
    await catalogue.refresh();
    expect(await callsOfSync()).toContain("upsert-data");
    expect(await callsOfSync()).toEqual([]);
    nowMs += 60 * 60 * 1_000;
    expect([...new Set(await callsOfSync())]).toEqual(["range"]);
  });

  it("a failure in the background is logged once, is retried after a minute, and does not affect searches", async () => {
    let nowMs = 0;
    const clock = { now: () => new Date(), monotonicMs: () => nowMs };
    const context = { ...searchContext(bundled, "legal"), hosted, clock };
    double.mode = "down";
    for (let ask = 0; ask < 3; ask++) {
      expect((await search(context, input)).count).toBe(5);
      await backgroundSync(context);
    }
    expect(double.calls.filter((call) => call === "range")).toHaveLength(1);
    expect(context.lines.filter((line) => line.includes("could not sync"))).toHaveLength(1);
    double.mode = "fine";
    nowMs += 60_000;
    await search(context, input);
    await backgroundSync(context);
    expect(held().length).toBeGreaterThan(25);
  });
});

describe("passages", () => {
  const document = (text: string): SearchDocument => ({
    id: "legal/a1",
    kind: "cassette",
    surface: "replay",
    slug: "",
    title: "A title",
    lead: "A lead.",
    body: ["A prompt", text],
  });

  it("contain the whole text in order, each small enough for the service in any script", () => {
    const unit = fc.constantFrom("word ", "sentence. ", "\n\n", "そばアレルギー", "👩‍👩‍👧‍👦", "é", "x".repeat(900));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 400 }), (units) => {
        const text = units.join("");
        const passages = passagesOf(document(text));
        for (const { id, content } of passages) {
          expect(id).toMatch(/^legal\/a1#\d+$/);
          expect(Buffer.byteLength(content.title + content.text)).toBeLessThanOrEqual(4_096);
        }
        const joined = passages.map(({ content }) => content.text).join("");
        expect(joined.replace(/\s/g, "")).toBe(`A lead.\n\nA prompt\n\n${text}`.replace(/\s/g, ""));
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it("of an endless document are limited", () => {
    const passages = passagesOf(document("word ".repeat(200_000)));
    expect(passages.length).toBe(40);
  });
});
