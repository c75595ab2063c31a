import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { type AnalysisContext, analyseSubject } from "./analyse-subject";
import { toReport } from "./list-reports";
import type { IntelligenceReport } from "./schemas";
import {
  findGone,
  findLatestSubject,
  findReportsOf,
  findUnanalysed,
  findUnanalysedFirsts,
  type Subject,
} from "./store";
import { highSignificance } from "./write-report";

/** What a run did, in reports. */
export type AnalysisSummary = {
  analysed: number;
  /** Of high significance: subscribers are told. */
  high: number;
  failed: number;
};

/** Subjects that are read at a time. */
const batchSize = 50;

type FindSubjects = (after: string | null) => Promise<{ subject: Subject; id: string }[]>;

/** Walks what waits to be analysed, the oldest first; what fails now is met again by the next run. */
async function* walk(find: FindSubjects): AsyncGenerator<Subject> {
  for (let after: string | null = null; ; ) {
    const batch = await find(after);
    for (const { subject } of batch) yield subject;
    const last = batch.at(-1);
    if (!last || batch.length < batchSize) return;
    after = last.id;
  }
}

async function* subjectsToAnalyse({ database }: AnalysisContext): AsyncGenerator<Subject> {
  yield* walk(async (after) => {
    const subjects = await findUnanalysed(database, after, batchSize);
    return subjects.map((subject) => ({ subject, id: subject.diffId ?? "" }));
  });
  yield* walk(async (after) => {
    const subjects = await findUnanalysedFirsts(database, after, batchSize);
    return subjects.map((subject) => ({ subject, id: subject.vendorId }));
  });
  yield* await findGone(database);
}

type AnalysisBounds = {
  /** A moment on the clock's `monotonicMs`. */
  deadlineMs: number;
  /** Changes that a model's batch is to answer: they are left for a later run. */
  waitingDiffIds?: ReadonlySet<string>;
};

/**
 * Writes the reports that are missing, until there are none, the deadline is near or the signal is aborted: changes,
 * first versions and files that are gone. What fails is logged and left for the next run.
 */
export async function analyseChanges(
  context: AnalysisContext,
  { deadlineMs, waitingDiffIds = new Set() }: AnalysisBounds,
): Promise<AnalysisSummary> {
  const { clock, log, signal } = context;
  const summary: AnalysisSummary = { analysed: 0, high: 0, failed: 0 };
  for await (const subject of subjectsToAnalyse(context)) {
    if (signal.aborted || clock.monotonicMs() >= deadlineMs) break;
    if (subject.diffId !== null && waitingDiffIds.has(subject.diffId)) continue;
    try {
      const report = await analyseSubject({ ...context, onEvent: () => countHigh(context, summary) }, subject, {
        mode: "batch",
      });
      if (report) summary.analysed += 1;
    } catch (error) {
      summary.failed += 1;
      log.error({ err: error, ...subject }, "a change could not be analysed");
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
