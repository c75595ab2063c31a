import { describe, expect, it } from "vitest";
import type { plans } from "#lib/accounts/plans/index";
import { systemIds } from "#lib/platform/ids";
import { type AnalysisContext, listReports } from "#lib/tracking/intelligence/index";
import { intelligenceQuerySchema } from "#lib/tracking/intelligence/schemas";
import { analyseAll } from "#tests/support/analyse-all";
import { callerOf } from "#tests/support/callers";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addHistory, addVendor, clockAtNow, daysAgo, now, reportRow } from "#tests/support/vendor-rows";

const first = "# Example\n\n> What it offers.\n\n## Guides\n\n- [Start](https://docs.example.com/start): begin here\n";
const second = `${first}\n## Billing\n\n- [Prices](https://docs.example.com/prices): the pricing changes on 1 January\n`;

const fixture = vendorDatabase();

const run = (given: Partial<AnalysisContext> = {}) =>
  analyseAll({ database: fixture.client, clock: clockAtNow, ...given });
const reports = () => fixture.client.report.findMany({ orderBy: { id: "asc" }, include: { vendor: true } });

/** Adds a vendor with versions one day apart, and returns what was stored of each. */
const addVersions = (...texts: string[]) =>
  addHistory(
    fixture.client,
    {},
    texts.map((text, index) => [text, daysAgo(texts.length - index)] as const),
  );

describe("the analysis job", () => {
  it("writes exactly one report per change", async () => {
    const stored = await addVersions(first, second);
    expect(await run()).toMatchObject({ analysed: 1, failed: 0 });
    const [report] = await reports();
    expect(report).toMatchObject({ diffId: stored[1]?.diffId, snapshotId: stored[1]?.snapshotId, mode: "batch" });
    expect(report).toMatchObject({
      analyser: "rules",
      sectionsAdded: [expect.stringContaining("Billing")],
      createdAt: now,
    });
    expect(await run()).toEqual({ analysed: 0, high: 0, failed: 0 });
    expect(await reports()).toHaveLength(1);
  });

  it("writes a report of a first version", async () => {
    const stored = await addVersions(first);
    expect(await run()).toMatchObject({ analysed: 1 });
    expect(await reports()).toMatchObject([{ diffId: null, snapshotId: stored[0]?.snapshotId, mode: "full" }]);
    expect(await run()).toMatchObject({ analysed: 0 });
  });

  it("reports a missing file once, after three consecutive fetches", async () => {
    const [{ vendorId } = { vendorId: "" }] = await addVersions(first);
    await run();
    const fail = async (failure: string) => {
      const row = { vendorId, createdAt: now, outcome: "failed", failure, requestCount: 1 } as const;
      await fixture.client.fetch.create({ data: { id: systemIds.next(), ...row } });
      const failing = { failureCount: { increment: 1 }, failingSince: daysAgo(1) };
      await fixture.client.vendor.update({ where: { id: vendorId }, data: failing });
    };
    await fail("http_404");
    await fail("http_500");
    await fail("http_404");
    await fail("http_410");
    expect(await run()).toMatchObject({ analysed: 0 });
    await fail("http_404");
    expect(await run()).toMatchObject({ analysed: 1, high: 1 });
    expect((await reports()).at(-1)).toMatchObject({ snapshotId: null, significance: 5, byteSizeChangePct: -100 });
    await fail("http_404");
    expect(await run()).toMatchObject({ analysed: 0 });
  });

  it("continues with others if one change cannot be analysed", async () => {
    const stored = await addVersions(first, second);
    await addVersions(first, second);
    await fixture.client.diff.update({
      where: { id: stored[1]?.diffId as string },
      data: { compressedText: Uint8Array.of(255, 1, 2) },
    });
    expect(await run()).toMatchObject({ analysed: 1, failed: 1 });
  });

  it("stops asking the model after three failed attempts, and then the rules write", async () => {
    await addVersions(first, second);
    let callCount = 0;
    const model = async () => {
      callCount += 1;
      throw new Error("always fails");
    };
    for (const attempt of [1, 2, 3]) {
      expect([attempt, await run({ model })]).toEqual([attempt, { analysed: 0, high: 0, failed: 1 }]);
    }
    expect(await run({ model })).toMatchObject({ analysed: 1, failed: 0 });
    expect([callCount, await run({ model })]).toEqual([3, { analysed: 0, high: 0, failed: 0 }]);
    expect((await reports()).map(({ analyser, summary }) => [analyser, summary])).toEqual([
      ["rules", expect.stringContaining("Billing")],
    ]);
  });

  it("reports a change and a first version whose texts cannot be read by their counts, after six attempts", async () => {
    await addVersions("# One\n", "# One\n\n- two\n");
    await addVersions("# Only\n");
    // Contents are shared by hash, so only those of this test may become unreadable.
    await fixture.client.content.updateMany({
      where: { byteSize: { lt: 20 } },
      data: { compressed: Uint8Array.of(255, 1, 2) },
    });
    for (let attempt = 1; attempt <= 6; attempt += 1) expect(await run()).toMatchObject({ analysed: 0, failed: 2 });
    expect(await run()).toEqual({ analysed: 2, high: 0, failed: 0 });
    expect((await reports()).map(({ summary, significance, mode }) => [summary, significance, mode])).toEqual([
      ["The change could not be analysed. Lines added: 2, removed: 0.", 3, "batch"],
      ["The first version could not be analysed.", 1, "full"],
    ]);
  });
});

describe("GET /api/v1/intelligence", () => {
  const list = (tier: keyof typeof plans, query: Record<string, string> = {}, accountId?: string) => {
    const caller = callerOf(tier, accountId);
    const context = { database: fixture.client, caller, clock: clockAtNow };
    return listReports(context, { query: intelligenceQuerySchema.parse(query) });
  };
  const reportAt = async (days: number, row: Record<string, unknown> = {}) => {
    const vendor = await addVendor(fixture.client);
    const given = { vendorId: vendor.id, summary: `${days} days`, significance: 2, categories: ["bug-fix"] };
    const report = reportRow({ ...given, byteSizeChangePct: 1.5, createdAt: daysAgo(days), ...row });
    await fixture.client.report.create({ data: report });
    return vendor;
  };
  const summaries = async (...words: Parameters<typeof list>) =>
    (await list(...words)).intelligence.map(({ summary }) => summary);

  it("tells when a vendor was last fetched, and nothing of vendors that the caller does not see", async () => {
    await addVendor(fixture.client, { slug: "awaited" });
    await addHistory(fixture.client, { slug: "quiet" }, [[first, daysAgo(1)]]);
    await addVendor(fixture.client, { slug: "own", accountId: fixture.accountId });
    const lastFetch = async (query: Record<string, string>) => (await list("starter", query))._meta.last_fetched_at;
    expect(await lastFetch({ vendor: "awaited" })).toBeNull();
    expect(await lastFetch({ vendor: "quiet" })).toBe(daysAgo(1).toISOString());
    for (const query of [{ vendor: "own" }, { vendor: "nope" }, {}])
      expect(await lastFetch(query as Record<string, string>)).toBeUndefined();
  });

  it("is read page by page with its cursor", async () => {
    for (const days of [4, 3, 2, 1]) await reportAt(days);
    const pages: string[][] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof list>> = await list("pro", { limit: "2", ...(cursor && { cursor }) });
      pages.push(page.intelligence.map(({ summary }) => summary));
      cursor = page._meta.next_cursor;
    }
    expect(pages).toEqual([
      ["1 days", "2 days"],
      ["3 days", "4 days"],
    ]);
    await expect(list("pro", { cursor: "1" })).rejects.toMatchObject({ code: "invalid_cursor" });
  });

  it("returns 90 days to starter and everything to pro, newest first", async () => {
    for (const days of [400, 91, 89, 1]) await reportAt(days);
    expect(await summaries("starter")).toEqual(["1 days", "89 days"]);
    expect(await summaries("pro")).toEqual(["1 days", "89 days", "91 days", "400 days"]);
    expect(await summaries("enterprise")).toHaveLength(4);
  });

  it("moves a since before the tier's history to its start, and returns it", async () => {
    await reportAt(91);
    const { _meta } = await list("starter", { since: "2020-01-01T00:00:00Z" });
    expect(_meta).toEqual({
      service: "tapedeck",
      tier: "starter",
      next_cursor: null,
      count: 0,
      filters: {
        vendor: null,
        since: daysAgo(90).toISOString(),
        min_significance: 1,
        category: null,
        limit: 50,
        history_days: 90,
      },
    });
    const pro = await list("pro", { since: "2020-01-01T02:00:00+02:00" });
    expect(pro._meta.filters).toMatchObject({ since: "2020-01-01T00:00:00.000Z", history_days: null });
    expect((await list("pro"))._meta.filters.since).toBeNull();
  });

  it("filters by vendor, significance and category, and limits the limit", async () => {
    const { slug } = await reportAt(3, { significance: 5, categories: ["deprecation", "api-change"] });
    await reportAt(2);
    expect(await summaries("starter", { vendor: slug })).toEqual(["3 days"]);
    expect(await summaries("starter", { vendor: "unknown" })).toEqual([]);
    expect(await summaries("starter", { min_significance: "4" })).toEqual(["3 days"]);
    expect(await summaries("starter", { category: "api-change" })).toEqual(["3 days"]);
    expect(await summaries("starter", { limit: "1" })).toEqual(["2 days"]);
    expect((await list("starter", { limit: "5000" }))._meta.filters.limit).toBe(100);
  });

  it.each([
    { limit: "0" },
    { limit: "x" },
    { min_significance: "6" },
    { category: "documentation" },
    { since: "yesterday" },
  ])("rejects %j", (query) => {
    expect(intelligenceQuerySchema.safeParse(query).success).toBe(false);
  });
});
