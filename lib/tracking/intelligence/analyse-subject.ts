import type { Log } from "#lib/platform/log";
import { analyse, analyseGone, type ModelAnalyser } from "./analyse";
import type { AnalysisMode, IntelligenceReport } from "./schemas";
import { readChange, type Subject } from "./store";
import { highSignificance, type WriteContext, writeReport } from "./write-report";

export type AnalysisContext = WriteContext & {
  log: Log;
  model?: ModelAnalyser;
  signal: AbortSignal;
  /** Called when a report was stored that subscribers are told of. */
  onEvent?: () => void;
};

/**
 * Analyses a subject and stores its report. Null where another writer was first. Throws where the database fails, and
 * for a fault of an analyser.
 */
export async function analyseSubject(
  context: AnalysisContext,
  subject: Subject,
  { mode, isAnew = false }: { mode: AnalysisMode; isAnew?: boolean },
): Promise<IntelligenceReport | null> {
  const { database, model, signal, onEvent } = context;
  const authored =
    subject.snapshotId === null
      ? analyseGone()
      : await analyse(subject, await readChange(database, subject), { model, signal });
  // A first version, and what is said anew, is about the whole file.
  const isWhole = isAnew || (subject.diffId === null && subject.snapshotId !== null);
  const report = await writeReport(context, { subject, ...authored, mode: isWhole ? "full" : mode, isAnew });
  if (report && !isAnew && report.significance >= highSignificance) onEvent?.();
  return report;
}
