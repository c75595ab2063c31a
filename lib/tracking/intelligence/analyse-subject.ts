import type { Log } from "#lib/platform/log";
import { blockedScore } from "#lib/tracking/snapshots/index";
import type { Analysis, Change } from "./analysis";
import { analyseByRules, rulesVersion } from "./rules/analyse-by-rules";
import type { AnalysisMode, IntelligenceReport } from "./schemas";
import { readChange, type Subject } from "./store";
import { highSignificance, type WriteContext, writeReport } from "./write-report";

/** A report's content, and who wrote it. */
type Authored = { analysis: Analysis; analyser: "rules" | "model"; analyserVersion: string };

export type ModelRequest = { subject: Subject; change: Change; rules: Analysis; signal: AbortSignal };

/** Asks a model about a change; null where it may not be asked, or gave nothing usable. Never throws for the model's faults. */
export type ModelAnalyser = (request: ModelRequest) => Promise<Omit<Authored, "analyser"> | null>;

/** Analyses a change: by the model where there is one and the text may be shown to it, else by the rules. */
async function analyse(
  subject: Subject,
  change: Change,
  { model, signal }: { model: ModelAnalyser | undefined; signal: AbortSignal },
): Promise<Authored> {
  const rules = analyseByRules(change);
  const mayAsk = model !== undefined && change.before !== null && change.securityScore < blockedScore;
  const answer = mayAsk ? await model({ subject, change, rules, signal }) : null;
  return answer
    ? { ...answer, analyser: "model" }
    : { analysis: rules, analyser: "rules", analyserVersion: rulesVersion };
}

/** What there is to say of a file that is not there any more. */
function analyseGone(): Authored {
  return {
    analysis: {
      summary: "The file is gone: three fetches in a row were answered with 404 or 410. The last version stays.",
      significance: 5,
      categories: ["content-reduction"],
      ...{ sectionsAdded: [], sectionsRemoved: [], sectionsModified: [], keyQuotes: [] },
      byteSizeChangePct: -100,
    },
    analyser: "rules",
    analyserVersion: rulesVersion,
  };
}

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
