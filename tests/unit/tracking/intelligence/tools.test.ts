import { describe, expect, it } from "vitest";
import type { Caller } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { listReportsTool } from "#lib/tracking/intelligence/index";
import { callTool, walkTool } from "#tests/support/call-tool";
import { callerOf } from "#tests/support/callers";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, idsAt } from "#tests/support/vendor-rows";

const now = new Date("2026-11-21T12:00:00.000Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60 * 1_000);

const fixture = vendorDatabase();

const contextOf = (caller: Caller) => ({ caller, database: fixture.client, clock: { ...systemClock, now: () => now } });
const _read = (caller: Caller, input: object = {}) => callTool(listReportsTool, contextOf(caller), input);

type ReportRow = { summary: string; days?: number; significance?: number; categories?: string[]; sections?: string[] };

async function addReports(slug: string, rows: readonly ReportRow[], row: Parameters<typeof addVendor>[1] = {}) {
  const { id: vendorId } = await addVendor(fixture.client, { slug, ...row });
  const origin = { vendorId, mode: "batch", analyser: "rules", analyserVersion: "1", byteSizeChangePct: 1.5 } as const;
  const data = rows.map(({ summary, days = 1, significance = 3, categories = ["api-change"], sections = [] }) => ({
    ...origin,
    id: idsAt(daysAgo(days)).next(),
    summary,
    significance,
    categories,
    createdAt: daysAgo(days),
    sectionsAdded: sections,
    sectionsRemoved: sections,
    sectionsModified: sections,
    keyQuotes: sections.slice(0, 5).map((section) => section.slice(0, 280)),
  }));
  await fixture.client.report.createMany({ data });
}

describe("list_reports", () => {
  it("pages all reports once, newest first, and stays within its limit for long reports", async () => {
    const sections = Array.from({ length: 12 }, (_, index) => `${index} "${"section > ".repeat(30)}`);
    const rows = Array.from({ length: 105 }, (_, index) => ({
      summary: `${index} ${"s".repeat(490)}`,
      days: 2,
      sections,
    }));
    await addReports("acme", rows);
    const pages = await walkTool(listReportsTool, contextOf(callerOf("pro")), { limit: 50 });
    const ids = pages.flatMap(({ reports }) => reports.map(({ id }) => id));
    const newest = await fixture.client.report.findMany({ orderBy: { id: "desc" }, select: { id: true } });
    expect(ids).toEqual(newest.map(({ id }) => id));
    const [report] = pages[0]?.reports ?? [];
    expect([report?.sections_added.length, report?.key_quotes.length]).toEqual([10, 5]);
    expect(report?.sections_added[0]).toMatch(/^0 ".{100,196}…$/);
  });
});
