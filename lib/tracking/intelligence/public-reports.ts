import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { dayMs } from "#lib/platform/time";
import { findChangesSince, findNewestReport, findReportOfDiff, type PublicReportRow } from "./store";

/** The part of a report that the site shows to everyone; complete reports require a key. */
export type PublicReport = {
  summary: string;
  significance: number;
  at: Date;
  /** The change that it is about; null for a first version or a missing file. */
  diffId: string | null;
};

/** Headings affected by a change. Only for vendors that the free tier covers, whose diffs the site shows. */
export type PublicSections = { added: string[]; removed: string[]; modified: string[] };

const toPublicReport = ({ summary, significance, createdAt, diffId }: PublicReportRow): PublicReport => {
  return { summary, significance, at: createdAt, diffId };
};

/** Returns the newest report of a public-scope vendor; null if there is none. */
export async function getNewestReport(
  { database }: { database: Database },
  slug: string,
): Promise<PublicReport | null> {
  const report = await findNewestReport(database, slug);
  return report && toPublicReport(report);
}

/**
 * Returns the report of a change if the site may show it: any report of vendors that the free tier covers, and only the
 * newest report of other vendors, as on their pages. Null otherwise.
 */
export async function getReportOfDiff(
  { database }: { database: Database },
  diffId: string,
): Promise<(PublicReport & { sections: PublicSections | null }) | null> {
  const report = await findReportOfDiff(database, diffId);
  if (!report || report.vendor.accountId !== null) return null;
  const { isPublic, reports } = report.vendor;
  if (!isPublic && reports[0]?.id !== report.id) return null;
  const { sectionsAdded: added, sectionsRemoved: removed, sectionsModified: modified } = report;
  return { ...toPublicReport(report), sections: isPublic ? { added, removed, modified } : null };
}

/** A change of the last seven days, as shown to everyone. */
export type RecentChange = {
  diffId: string;
  vendor: { name: string; slug: string; domain: string };
  summary: string;
  significance: number;
  categories: string[];
  createdAt: Date;
};

const recentMs = 7 * dayMs;
const maxCount = 6;

/** Returns the changes of public vendors in the last seven days, newest first. */
export async function listRecentChanges({
  clock,
  database,
}: {
  clock: Clock;
  database: Database;
}): Promise<RecentChange[]> {
  const found = await findChangesSince(database, new Date(clock.now().getTime() - recentMs), maxCount);
  return found.flatMap(({ diffId, ...change }) => (diffId === null ? [] : [{ diffId, ...change }]));
}
