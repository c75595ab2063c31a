import { commandLine } from "#lib/platform/command-line";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { minHighSignificance } from "#lib/tracking/webhooks/index";
import { type AnalysisContext, analyseSubject } from "./analyse-subject";
import { toReport } from "./read-reports";
import type { IntelligenceReport } from "./schemas";
import {
  findLatestSubject,
  findMissingFiles,
  findReportedVendor,
  findReportsOfVendor,
  findUnanalysedChanges,
  findUnanalysedFirstVersions,
  type Subject,
  type Wanted,
} from "./store";

/**
 * Returns what has no report yet: changes and first versions, each oldest first and at most `limit`, and missing files. With
 * `vendorIds`, only the changes and first versions of those vendors.
 */
export async function findUnanalysed(database: Database, wanted: Wanted): Promise<Subject[]> {
  const found = await Promise.all([
    findUnanalysedChanges(database, wanted),
    findUnanalysedFirstVersions(database, wanted),
    wanted.vendorIds ? [] : findMissingFiles(database),
  ]);
  return found.flat();
}

/** Outcome of an analysis: `known` if another writer was first, `high` if webhooks are notified. */
export type AnalysisOutcome = "analysed" | "high" | "known" | "failed";

/** Writes the report of a subject. A failure is logged; the next run tries again. */
export async function analyseOne(context: AnalysisContext, subject: Subject): Promise<AnalysisOutcome> {
  try {
    const report = await analyseSubject(context, subject, { mode: "batch" });
    if (!report) return "known";
    return report.significance >= minHighSignificance ? "high" : "analysed";
  } catch (error) {
    context.log.error({ err: error, ...subject }, "could not analyse a change");
    return "failed";
  }
}

/**
 * Analyses the latest versions of vendors again. The new reports replace the old ones, and webhooks are not notified
 * again. Returns the numbers of reports. Throws AppError not_found before anything is changed.
 */
export async function reanalyse(
  context: AnalysisContext,
  { slugs, onReport }: { slugs: readonly string[]; onReport: (report: IntelligenceReport) => void },
): Promise<{ analysed: number; high: number; failed: number }> {
  const subjects: Subject[] = [];
  for (const slug of new Set(slugs)) {
    const subject = await findLatestSubject(context.database, slug);
    if (!subject) throw new AppError("not_found", `There is no vendor "${slug}", or it has not been fetched yet.`);
    subjects.push(subject);
  }
  const summary = { analysed: 0, high: 0, failed: 0 };
  for (const subject of subjects) {
    const report = await analyseSubject(context, subject, { mode: "full", replaces: true });
    if (!report) continue;
    onReport(toReport({ ...report, vendor: await findReportedVendor(context.database, report.vendorId) }));
    summary.analysed += 1;
    if (report.significance >= minHighSignificance) summary.high += 1;
  }
  return summary;
}

/** Returns a vendor's reports for operators, newest first. Throws AppError not_found. */
export async function findVendorReports(
  { database }: { database: Database },
  { slug, limit }: { slug: string; limit: number },
): Promise<IntelligenceReport[]> {
  const rows = await findReportsOfVendor(database, slug, limit);
  if (rows) return rows.map(toReport);
  throw new AppError("not_found", `There is no vendor "${slug}". List them: ${commandLine("vendors list")}`);
}
