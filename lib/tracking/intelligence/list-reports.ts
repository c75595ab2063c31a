import type { Caller } from "#lib/accounts/keys/index";
import { contractTier, historyStart, type Plan } from "#lib/accounts/plans/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { minuteMs } from "#lib/platform/time";
import type { Analysis } from "./analysis";
import type { Intelligence, IntelligenceQuery, IntelligenceReport } from "./schemas";
import { findReports, type ReportRow } from "./store";

/** Returns a stored report in API form. */
export function toReport(row: ReportRow): IntelligenceReport {
  const { name, slug, domain } = row.vendor;
  return {
    id: row.id,
    vendor: { name, slug, domain },
    summary: row.summary,
    significance: row.significance,
    categories: row.categories as Analysis["categories"],
    sections_added: row.sectionsAdded,
    sections_removed: row.sectionsRemoved,
    sections_modified: row.sectionsModified,
    key_quotes: row.keyQuotes,
    byte_size_change_pct: row.byteSizeChangePct,
    analysis_mode: row.mode,
    created_at: row.createdAt.toISOString(),
  };
}

type ReportsContext = { caller: Caller; clock: Clock; database: Database };
type ReportsInput = {
  query: IntelligenceQuery;
  /** Id of a report: only reports older than it. */
  before?: string | null;
};

/** Returns the days of reports that a plan includes; null: all, as in pro, regardless of its history of diffs. */
function reportDays({ tier, historyDays }: Plan): number | null {
  return contractTier(tier) === "pro" ? null : historyDays;
}

/** Returns the time from which reports are included. A tier's start is rounded to minutes so responses can be cached. */
function findStart(plan: Plan, requested: string | undefined, now: Date): Date | null {
  const wanted = requested === undefined ? null : new Date(requested);
  const start = reportDays(plan) === null ? null : historyStart(plan, now);
  if (start === null) return wanted;
  const first = new Date(Math.ceil(start.getTime() / minuteMs) * minuteMs);
  return wanted !== null && wanted > first ? wanted : first;
}

/** Returns the reports included in the caller's tier, newest first. */
export async function listReports(
  { caller, clock, database }: ReportsContext,
  { query, before = null }: ReportsInput,
): Promise<Intelligence> {
  const { plan, accountId } = caller;
  const { vendor, category, min_significance: minSignificance, limit } = query;
  const since = findStart(plan, query.since, clock.now());
  const rows = await findReports(database, {
    ...{ slug: vendor, category, minSignificance, limit, since, before },
    accountId: plan.vendorAccess === "all-plus-custom" ? accountId : null,
  });
  return {
    _meta: {
      service: "tapedeck",
      tier: contractTier(caller.tier),
      count: rows.length,
      filters: {
        vendor: vendor ?? null,
        since: since?.toISOString() ?? null,
        min_significance: minSignificance,
        category: category ?? null,
        limit,
        history_days: reportDays(plan),
      },
    },
    intelligence: rows.map(toReport),
  };
}
