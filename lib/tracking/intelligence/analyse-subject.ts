import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import { type DiffDetail, toDiffDetail } from "#lib/tracking/diffs/index";
import { categoryOf } from "#lib/tracking/vendors/index";
import { enqueueHighSignificance } from "#lib/tracking/webhooks/index";
import { describeByMeasures, describeMissingFile } from "./analyses-without-text";
import { type Analysis, type Change, isBlockedChange, minHighSignificance } from "./analysis";
import { toReport } from "./read-reports";
import { rulesVersion } from "./rules/analyse-by-rules";
import { runRules } from "./rules/run-rules";
import type { AnalysisMode, IntelligenceReport } from "./schemas";
import {
  claimSubject,
  countAttempt,
  deleteReport,
  findReportedVendor,
  insertReport,
  type NewReport,
  type ReportedVendor,
  readChange,
  readDiffDetail,
  readMeasures,
  type Subject,
} from "./store";

type WriteContext = { database: Database; clock: Clock; ids: Ids };

/** An analysis and its author. */
type AuthoredAnalysis = { analysis: Analysis; analyser: "rules" | "model"; analyserVersion: string };

/** Attempts in which a model may be asked about a change; in further ones only the rules write. */
export const maxModelAttempts = 3;
/** Attempts in which the texts are read; in further ones the report has only what is stored about them. */
export const maxTextAttempts = 6;

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
  /** Called after a report was stored that webhooks are notified of. */
  onEvent?: () => void;
};

/** Analyses a change by the model, if there is one and the text may be shown to it, otherwise by the rules. */
async function analyse(
  subject: Subject,
  change: Change,
  { model, signal }: { model: ModelAnalyser | undefined; signal: AbortSignal },
): Promise<AuthoredAnalysis> {
  const rules = await runRules(change);
  const mayAsk = model !== undefined && change.before !== null && !isBlockedChange(change);
  const answer = mayAsk ? await model({ subject, change, rules, signal }) : null;
  return answer ? { ...answer, analyser: "model" } : byRules(rules);
}

const byRules = (analysis: Analysis): AuthoredAnalysis => ({
  analysis,
  analyser: "rules",
  analyserVersion: rulesVersion,
});

/** Returns the analysis of a subject for its `attempt`-th attempt, which was counted before, so that crashes count too. */
async function analyseAttempt(
  { database, model, signal, log }: AnalysisContext,
  subject: Subject,
  attempt: number,
): Promise<AuthoredAnalysis> {
  if (subject.snapshotId === null) return byRules(describeMissingFile());
  if (attempt > 1) log.warn({ ...subject, attempt }, "earlier attempts to analyse a change failed");
  if (attempt > maxTextAttempts) return byRules(describeByMeasures(await readMeasures(database, subject)));
  const mayAsk = attempt <= maxModelAttempts;
  return analyse(subject, await readChange(database, subject), { model: mayAsk ? model : undefined, signal });
}

type Writing = AuthoredAnalysis & {
  subject: Subject;
  mode: AnalysisMode;
  /** Whether it replaces an earlier report of the subject. */
  replaces?: boolean;
};

/** Most added links, and most removed links, in an event. */
const maxEventLinkCount = 100;

async function describeDiff({ database }: WriteContext, diffId: string): Promise<DiffDetail> {
  const { links_added, links_removed, ...detail } = toDiffDetail(await readDiffDetail(database, diffId));
  return {
    ...detail,
    links_added: links_added.slice(0, maxEventLinkCount),
    links_removed: links_removed.slice(0, maxEventLinkCount),
  };
}

/** Returns the data of the event for a report; null if the report is not of high significance. */
async function createEventData(context: WriteContext, report: NewReport, vendor: ReportedVendor) {
  if (report.significance < minHighSignificance) return null;
  const { name, slug, domain, category } = vendor;
  return {
    report: toReport({ ...report, vendor }),
    vendor: { name, slug, domain, category: categoryOf(category) },
    diff: report.diffId === null ? null : await describeDiff(context, report.diffId),
  };
}

/**
 * Stores a report and, in the same transaction, enqueues webhooks if it is of high significance. Returns null if another
 * writer was first, so that each change is reported once.
 */
async function writeReport(context: WriteContext, writing: Writing): Promise<IntelligenceReport | null> {
  const { database, clock, ids } = context;
  const { subject, analysis, replaces = false, ...origin } = writing;
  const createdAt = clock.now();
  const report: NewReport = { id: ids.next(), ...subject, ...analysis, ...origin, createdAt };
  const vendor = await findReportedVendor(database, subject.vendorId);
  const data = replaces ? null : await createEventData(context, report, vendor);
  const isWritten = await database.$transaction(async (transaction) => {
    if (replaces) await deleteReport(transaction, subject);
    if (!(await claimSubject(transaction, subject, createdAt))) return false;
    await insertReport(transaction, report);
    const { accountId: vendorAccountId } = vendor;
    if (data) {
      await enqueueHighSignificance(transaction, { data, reportId: report.id, vendorAccountId, at: createdAt, ids });
    }
    return true;
  });
  return isWritten ? toReport({ ...report, vendor }) : null;
}

/**
 * Analyses a subject and stores its report. Returns null if another writer was first. With `replaces`, the report replaces
 * an earlier one, webhooks are not notified, and the attempt is not counted. Throws if the database fails or a stored
 * text cannot be read, and for a bug in an analyser; then the next attempt may get a simpler analysis.
 */
export async function analyseSubject(
  context: AnalysisContext,
  subject: Subject,
  { mode, replaces = false }: { mode: AnalysisMode; replaces?: boolean },
): Promise<IntelligenceReport | null> {
  const { snapshotId } = subject;
  const attempt = snapshotId === null || replaces ? 1 : await countAttempt(context.database, snapshotId);
  const authored = await analyseAttempt(context, subject, attempt);
  const isFirstVersion = subject.diffId === null && subject.snapshotId !== null;
  const writtenMode = replaces || isFirstVersion ? "full" : mode;
  const report = await writeReport(context, { subject, ...authored, mode: writtenMode, replaces });
  if (report && !replaces && report.significance >= minHighSignificance) context.onEvent?.();
  return report;
}
