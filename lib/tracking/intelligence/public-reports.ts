import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { findChangesSince, findNewestReport, findReportOfDiff, type ShownReportRow } from "./store";

/** What the site shows everybody of a report: whole reports come with a key. */
export type ShownReport = {
  summary: string;
  significance: number;
  at: Date;
  /** The change that it is about; null for a first version, and for a file that is gone. */
  diffId: string | null;
};

/** The headings that a change came by; given for vendors that the free tier covers, whose changes the site shows whole. */
export type ShownSections = { added: string[]; removed: string[]; modified: string[] };

const toShown = ({ summary, significance, createdAt, diffId }: ShownReportRow): ShownReport => {
  return { summary, significance, at: createdAt, diffId };
};

/** The newest report of a vendor that everybody sees; null where there is none. */
export async function getNewestReport({ database }: { database: Database }, slug: string): Promise<ShownReport | null> {
  const report = await findNewestReport(database, slug);
  return report && toShown(report);
}

/**
 * The report of a change. Its summary is shown for vendors that the free tier covers, and of other vendors' for the
 * newest one alone, as their pages do; null otherwise.
 */
export async function getReportOfDiff(
  { database }: { database: Database },
  diffId: string,
): Promise<(ShownReport & { sections: ShownSections | null }) | null> {
  const report = await findReportOfDiff(database, diffId);
  if (!report || report.vendor.accountId !== null) return null;
  const { isPublic, reports } = report.vendor;
  if (!isPublic && reports[0]?.id !== report.id) return null;
  const { sectionsAdded: added, sectionsRemoved: removed, sectionsModified: modified } = report;
  return { ...toShown(report), sections: isPublic ? { added, removed, modified } : null };
}

/** A change of the last seven days, as anyone may see it. */
export type WeekChange = {
  /** The change itself. */
  diffId: string;
  vendor: { name: string; slug: string; domain: string };
  summary: string;
  significance: number;
  categories: string[];
  createdAt: Date;
};

const weekMs = 7 * 86_400_000;
const maxCount = 6;

/** What the public vendors changed in the last seven days, the newest first. */
export async function listWeek({ clock, database }: { clock: Clock; database: Database }): Promise<WeekChange[]> {
  const found = await findChangesSince(database, new Date(clock.now().getTime() - weekMs), maxCount);
  return found.flatMap(({ diffId, ...change }) => (diffId === null ? [] : [{ diffId, ...change }]));
}
