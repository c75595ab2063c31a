import type { Log } from "#lib/platform/log";
import { blockedScore } from "#lib/tracking/snapshots/index";
import { type Analysis, type Change, minHighSignificance } from "./analysis";
import { analyseByRules, rulesVersion } from "./rules/analyse-by-rules";
import type { AnalysisMode, IntelligenceReport } from "./schemas";
import { readChange, type Subject } from "./store";
import { type WriteContext, writeReport } from "./write-report";

/** An analysis and its author. */
type AuthoredAnalysis = { analysis: Analysis; analyser: "rules" | "model"; analyserVersion: string };

export type ModelRequest = { subject: Subject; change: Change; rules: Analysis; signal: AbortSignal };

/**
 * Analyses a change by a model. Returns null if the model may not be asked or gave no usable answer. Does not throw for
 * failures of the model.
 */
export type ModelAnalyser = (request: ModelRequest) => Promise<Omit<AuthoredAnalysis, "analyser"> | null>;

export type AnalysisContext = WriteContext & {
  log: Log;
  model?: ModelAnalyser;
  signal: AbortSignal;
  /** Called after a report was stored of which webhooks are notified. */
  onEvent?: () => void;
};

/** Analyses a change by the model, if there is one and the text may be shown to it, otherwise by the rules. */
async function analyse(
  subject: Subject,
  change: Change,
  { model, signal }: { model: ModelAnalyser | undefined; signal: AbortSignal },
): Promise<AuthoredAnalysis> {
  const rules = analyseByRules(change);
  const mayAsk = model !== undefined && change.before !== null && change.securityScore < blockedScore;
  const answer = mayAsk ? await model({ subject, change, rules, signal }) : null;
  return answer
    ? { ...answer, analyser: "model" }
    : { analysis: rules, analyser: "rules", analyserVersion: rulesVersion };
}

/** Returns the analysis of a missing file. */
function describeMissingFile(): AuthoredAnalysis {
  return {
    analysis: {
      summary: "The file no longer exists: three consecutive fetches returned 404 or 410. The latest version is kept.",
      significance: 5,
      categories: ["content-reduction"],
      ...{ sectionsAdded: [], sectionsRemoved: [], sectionsModified: [], keyQuotes: [] },
      byteSizeChangePct: -100,
    },
    analyser: "rules",
    analyserVersion: rulesVersion,
  };
}

/**
 * Analyses a subject and stores its report. Returns null if another writer was first. With `replaces`, the report replaces
 * an earlier one and webhooks are not notified. Throws if the database fails, and for a bug in an analyser.
 */
export async function analyseSubject(
  context: AnalysisContext,
  subject: Subject,
  { mode, replaces = false }: { mode: AnalysisMode; replaces?: boolean },
): Promise<IntelligenceReport | null> {
  const { database, model, signal, onEvent } = context;
  const authored =
    subject.snapshotId === null
      ? describeMissingFile()
      : await analyse(subject, await readChange(database, subject), { model, signal });
  const isFirstVersion = subject.diffId === null && subject.snapshotId !== null;
  const writtenMode = replaces || isFirstVersion ? "full" : mode;
  const report = await writeReport(context, { subject, ...authored, mode: writtenMode, replaces });
  if (report && !replaces && report.significance >= minHighSignificance) onEvent?.();
  return report;
}
