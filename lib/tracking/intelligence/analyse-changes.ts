import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { type AnalysisContext, analyseSubject } from "./analyse-subject";
import { minHighSignificance } from "./analysis";
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
} from "./store";

/** Result of a run, in reports. */
type AnalysisSummary = {
  analysed: number;
  /** Reports of high significance, which webhooks are notified of. */
  high: number;
  failed: number;
};

/**
 * Returns what has no report yet: changes and first versions, each oldest first and at most `limit`, and missing files.
 */
export async function findUnanalysed(database: Database, limit: number): Promise<Subject[]> {
  const [changes, firstVersions, missingFiles] = await Promise.all([
    findUnanalysedChanges(database, { limit }),
    findUnanalysedFirstVersions(database, { limit }),
    findMissingFiles(database),
  ]);
  return [...changes, ...firstVersions, ...missingFiles];
}

/** Returns the changes and first versions of some vendors that have no report yet, at most `limit` of each. */
export async function findUnanalysedOf(
  database: Database,
  { vendorIds, limit }: { vendorIds: readonly string[]; limit: number },
): Promise<Subject[]> {
  const [changes, firstVersions] = await Promise.all([
    findUnanalysedChanges(database, { limit, vendorIds }),
    findUnanalysedFirstVersions(database, { limit, vendorIds }),
  ]);
  return [...changes, ...firstVersions];
}

/** Outcome of an analysis: `known` if another writer was first. */
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

async function requireSubject(database: Database, slug: string): Promise<Subject> {
  const subject = await findLatestSubject(database, slug);
  if (subject) return subject;
  throw new AppError("not_found", `There is no vendor "${slug}", or it has not been fetched yet.`);
}

/**
 * Analyses the latest versions of vendors again. The new reports replace the old ones, and webhooks are not notified
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
  throw new AppError("not_found", `There is no vendor "${slug}". List them: tapedeck vendors list`);
}
