import type { CallContext } from "#lib/accounts/keys/index";
import { contractTier, historyStart, type Plan } from "#lib/accounts/plans/index";
import { parseIdCursor } from "#lib/contract/query-schemas";
import type { Context } from "#lib/platform/context";
import { dayMs, minuteMs } from "#lib/platform/time";
import { findLastFetch, isVisibleTo, ownAccountOf } from "#lib/tracking/vendor-access/index";
import { type Analysis, toReportFields } from "./analysis";
import type { Intelligence, IntelligenceQuery, IntelligenceReport } from "./schemas";
import {
  findChangesSince,
  findNewestReport,
  findReportOfDiff,
  findReports,
  type PublicReportRow,
  type ReportRow,
} from "./store";

export function toReport(row: ReportRow): IntelligenceReport {
  const { name, slug, domain } = row.vendor;
  return {
    id: row.id,
    vendor: { name, slug, domain },
    ...toReportFields({ ...row, categories: row.categories as Analysis["categories"] }),
    analysis_mode: row.mode,
    created_at: row.createdAt.toISOString(),
    diff_id: row.diffId,
  };
}

/** Returns the days of reports that a plan includes; null: all, as in pro, regardless of its history of diffs. */
const reportDays = ({ tier, historyDays }: Plan) => (contractTier(tier) === "pro" ? null : historyDays);

/** Returns the time from which reports are included. A tier's start is rounded to minutes so responses can be cached. */
function findStart(plan: Plan, requested: string | undefined, now: Date): Date | null {
  const wanted = requested === undefined ? null : new Date(requested);
  const start = reportDays(plan) === null ? null : historyStart(plan, now);
  if (start === null) return wanted;
  const first = new Date(Math.ceil(start.getTime() / minuteMs) * minuteMs);
  return wanted !== null && wanted > first ? wanted : first;
}

/** Returns a page of the reports included in the caller's tier, newest first. Throws AppError invalid_cursor. */
export async function listReports(
  { caller, clock, database }: CallContext,
  { query }: { query: IntelligenceQuery },
): Promise<Intelligence> {
  const { vendor, category, min_significance, limit } = query;
  const since = findStart(caller.plan, query.since, clock.now());
  const before = parseIdCursor(query.cursor);
  const [found, lastFetch] = await Promise.all([
    findReports(database, { ...query, limit: limit + 1 }, { since, before, accountId: ownAccountOf(caller) }),
    vendor === undefined ? undefined : findLastFetch({ database, caller }, vendor),
  ]);
  const rows = found.slice(0, limit);
  return {
    _meta: {
      service: "tapedeck",
      tier: contractTier(caller.tier),
      count: rows.length,
      next_cursor: found.length > limit ? (rows.at(-1)?.id ?? null) : null,
      ...(lastFetch !== undefined && { last_fetched_at: lastFetch }),
      filters: {
        vendor: vendor ?? null,
        since: since?.toISOString() ?? null,
        min_significance,
        category: category ?? null,
        limit,
        history_days: reportDays(caller.plan),
      },
    },
    intelligence: rows.map(toReport),
  };
}

const toPublicReport = ({ summary, significance, createdAt: at, diffId }: PublicReportRow) => {
  return { summary, significance, at, diffId };
};
/** The part of a report that the site shows to everyone. `diffId` is null for a first version or a missing file. */
export type PublicReport = ReturnType<typeof toPublicReport>;

/** Headings affected by a change. Only for vendors whose diffs the site shows. */
export type PublicSections = { added: string[]; removed: string[]; modified: string[] };

type PageContext = Pick<CallContext, "caller" | "database">;

/** Returns the newest report of a vendor that the caller sees; null if there is none. */
export async function getNewestReport({ caller, database }: PageContext, slug: string): Promise<PublicReport | null> {
  const report = await findNewestReport(database, slug, ownAccountOf(caller));
  return report && toPublicReport(report);
}

/**
 * Returns the report of a change if the site may show it: any report of vendors that the free tier covers and of the caller's own,
 * and only the newest report of other vendors, as on their pages. Null otherwise.
 */
export async function getReportOfDiff(
  { caller, database }: PageContext,
  diffId: string,
): Promise<(PublicReport & { sections: PublicSections | null }) | null> {
  const report = await findReportOfDiff(database, diffId);
  if (!report || !isVisibleTo(report.vendor, caller)) return null;
  const { isPublic, accountId, reader, reports } = report.vendor;
  const isWhole = isPublic || accountId !== null || reader !== "llms_txt";
  if (!isWhole && reports[0]?.id !== report.id) return null;
  const { sectionsAdded: added, sectionsRemoved: removed, sectionsModified: modified } = report;
  return { ...toPublicReport(report), sections: isWhole ? { added, removed, modified } : null };
}

const recentMs = 7 * dayMs;
const maxRecentCount = 2;
/** Most of the newest changes from which those are chosen. */
const maxReadCount = 100;

/** Returns the most significant changes of public vendors in the last seven days, the newest of equals first. */
export async function listRecentChanges({ clock, database }: Pick<Context, "clock" | "database">) {
  const found = await findChangesSince(database, new Date(clock.now().getTime() - recentMs), maxReadCount);
  return found
    .flatMap(({ diffId, ...change }) => (diffId === null ? [] : [{ diffId, ...change }]))
    .sort((a, b) => b.significance - a.significance)
    .slice(0, maxRecentCount);
}
export type RecentChange = Awaited<ReturnType<typeof listRecentChanges>>[number];
