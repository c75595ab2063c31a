import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { AnalysisSummary } from "./analyse-changes";
import { type AnalysisContext, analyseSubject } from "./analyse-subject";
import type { IntelligenceReport } from "./schemas";
import { findLatestSubject, findReportsOf, type Subject } from "./store";
import { toReport } from "./to-report";
import { highSignificance } from "./write-report";

async function requireSubject(database: Database, slug: string): Promise<Subject> {
  const subject = await findLatestSubject(database, slug);
  if (subject) return subject;
  throw new AppError("not_found", `There is no vendor "${slug}", or it was never fetched.`);
}

/**
 * Analyses the latest versions of vendors anew; the new reports take the place of the old ones, and nobody is told
 * again. Throws AppError not_found before anything is changed.
 */
export async function reanalyse(
  context: AnalysisContext,
  { slugs, onReport }: { slugs: readonly string[]; onReport: (report: IntelligenceReport) => void },
): Promise<AnalysisSummary> {
  const subjects: Subject[] = [];
  for (const slug of new Set(slugs)) subjects.push(await requireSubject(context.database, slug));
  const summary: AnalysisSummary = { analysed: 0, high: 0, failed: 0 };
  for (const subject of subjects) {
    const report = await analyseSubject(context, subject, { mode: "full", isAnew: true });
    if (!report) continue;
    onReport(report);
    summary.analysed += 1;
    if (report.significance >= highSignificance) summary.high += 1;
  }
  return summary;
}

/** A vendor's reports for operators, the newest first. Throws AppError not_found. */
export async function findVendorReports(
  { database }: { database: Database },
  { slug, limit }: { slug: string; limit: number },
): Promise<IntelligenceReport[]> {
  const rows = await findReportsOf(database, slug, limit);
  if (rows) return rows.map(toReport);
  throw new AppError("not_found", `There is no vendor "${slug}". List them: tapedeck vendors list`);
}
