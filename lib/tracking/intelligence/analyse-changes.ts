import { type AnalysisContext, analyseSubject } from "./analyse-subject";
import { findGone, findUnanalysed, findUnanalysedFirsts, type Subject } from "./store";

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

export type AnalysisBounds = {
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
