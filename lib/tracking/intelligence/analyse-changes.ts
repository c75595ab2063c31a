import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { type AnalysisContext, analyseSubject } from "./analyse-subject";
import { minHighSignificance } from "./analysis";
import { toReport } from "./read-reports";
import type { IntelligenceReport } from "./schemas";
import {
  findLatestSubject,
  findMissingFiles,
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

/** Subjects read per query. */
const batchSize = 50;

type FindSubjects = (after: string | null) => Promise<{ subject: Subject; id: string }[]>;

/** Yields all subjects that `find` returns, batch by batch, oldest first. */
async function* paginate(find: FindSubjects): AsyncGenerator<Subject> {
  for (let after: string | null = null; ; ) {
    const batch = await find(after);
    for (const { subject } of batch) yield subject;
    const last = batch.at(-1);
    if (!last || batch.length < batchSize) return;
    after = last.id;
  }
}

async function* findSubjects({ database }: AnalysisContext): AsyncGenerator<Subject> {
  yield* paginate(async (after) => {
    const subjects = await findUnanalysedChanges(database, after, batchSize);
    return subjects.map((subject) => ({ subject, id: subject.diffId ?? "" }));
  });
  yield* paginate(async (after) => {
    const subjects = await findUnanalysedFirstVersions(database, after, batchSize);
    return subjects.map((subject) => ({ subject, id: subject.vendorId }));
  });
  yield* await findMissingFiles(database);
}

type AnalysisBounds = {
  /** Time on the clock's `monotonicMs`. */
  deadlineMs: number;
  /** Changes whose answer is pending in a model's batch: they are left for a later run. */
  waitingDiffIds?: ReadonlySet<string>;
};

/**
 * Writes the missing reports of changes, first versions and missing files, until none is left, the deadline is reached or
 * the signal is aborted. Failures are logged and retried by the next run.
 */
export async function analyseChanges(
  context: AnalysisContext,
  { deadlineMs, waitingDiffIds = new Set() }: AnalysisBounds,
): Promise<AnalysisSummary> {
  const { clock, log, signal } = context;
  const summary: AnalysisSummary = { analysed: 0, high: 0, failed: 0 };
  for await (const subject of findSubjects(context)) {
    if (signal.aborted || clock.monotonicMs() >= deadlineMs) break;
    if (subject.diffId !== null && waitingDiffIds.has(subject.diffId)) continue;
    try {
      const report = await analyseSubject({ ...context, onEvent: () => countHigh(context, summary) }, subject, {
        mode: "batch",
      });
      if (report) summary.analysed += 1;
    } catch (error) {
      summary.failed += 1;
      log.error({ err: error, ...subject }, "could not analyse a change");
    }
  }
  return summary;
}

function countHigh({ onEvent }: AnalysisContext, summary: AnalysisSummary): void {
  summary.high += 1;
  onEvent?.();
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
    onReport(report);
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
