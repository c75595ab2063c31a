import { blockedScore } from "#lib/contract/blocked-content";
import { shorten } from "#lib/contract/fit-json";
import { toModelChange } from "#lib/models/index";
import { config } from "#lib/platform/config";
import type { Context } from "#lib/platform/context";
import type { Database, Transaction } from "#lib/platform/database/index";
import { toDiffDetail } from "#lib/tracking/diffs/index";
import { findWaitingItems, replaceItems } from "#lib/tracking/digests/index";
import { toOperationChange } from "#lib/tracking/operations/index";
import { categoryOf } from "#lib/tracking/vendors/index";
import { minHighSignificance, prepareHighSignificance } from "#lib/tracking/webhooks/index";
import { type Analysis, type Change, isBlockedChange, noText } from "./analysis";
import { describeModels, modelRulesVersion } from "./describe-models";
import { describeOpenApi, operationRulesVersion } from "./describe-openapi";
import { toReport } from "./read-reports";
import { growthPct, rulesVersion } from "./rules/analyse-by-rules";
import { runRules } from "./rules/run-rules";
import { maxSummaryLength } from "./rules/write-summary";
import type { AnalysisMode } from "./schemas";
import {
  countAttempt,
  deleteReport,
  findDescribed,
  findReportedVendor,
  insertReport,
  insertReportWithin,
  type NewReport,
  readChange,
  readDiffDetail,
  readLastShown,
  readMeasures,
  type Subject,
} from "./store";

const missingFile: Analysis = {
  summary: "The file no longer exists: three consecutive fetches returned 404 or 410. The latest version is kept.",
  significance: 5,
  categories: ["content-reduction"],
  ...noText,
  byteSizeChangePct: -100,
};

function describeByMeasures({ securityScore, byteSize, change }: Awaited<ReturnType<typeof readMeasures>>): Analysis {
  const isBlocked = securityScore >= blockedScore;
  const counts = change
    ? `The change could not be analysed. Lines added: ${change.linesAdded}, removed: ${change.linesRemoved}.`
    : "The first version could not be analysed.";
  const direction = change && change.linesRemoved > change.linesAdded ? "content-reduction" : "content-expansion";
  return {
    summary: isBlocked ? `${counts} The text has a security score of ${securityScore} out of 5.` : counts,
    significance: isBlocked ? 5 : change ? 3 : 1,
    categories: [isBlocked ? "security-advisory" : direction],
    ...noText,
    byteSizeChangePct: change ? growthPct(change.previousSnapshot.byteSize, byteSize) : 0,
  };
}

type AuthoredAnalysis = { analysis: Analysis; analyser: "rules" | "model"; analyserVersion: string };
const byRules = (analysis: Analysis, analyserVersion = rulesVersion): AuthoredAnalysis => {
  return { analysis, analyser: "rules", analyserVersion };
};

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

export type AnalysisContext = Context & { model?: ModelAnalyser; signal: AbortSignal; onEvent?: () => void };

/**
 * Adds to the report on a text that replaces a withheld one what changed since the last version that is not withheld, so that
 * nothing of the new text stays unreported.
 */
async function addSinceShown(database: Database, subject: Subject, change: Change, rules: Analysis): Promise<Analysis> {
  const { after, securityScore, previousSecurityScore } = change;
  const isShownAgain = securityScore < blockedScore && previousSecurityScore >= blockedScore;
  const shown = isShownAgain ? await readLastShown(database, subject) : null;
  if (!shown) return rules;
  const { text: before, securityScore: shownScore, createdAt } = shown;
  const since = { ...change, before, comparison: null, previousSecurityScore: shownScore };
  const found = before === after ? null : await runRules(since);
  const date = createdAt.toISOString().slice(0, 10);
  const sentence = found
    ? `Since the last version that is not withheld, of ${date}: ${found.summary}`
    : `The text is again that of ${date}.`;
  return {
    ...rules,
    ...found,
    summary: shorten(`${rules.summary} ${sentence}`, maxSummaryLength),
    significance: found?.significance ?? 1,
    byteSizeChangePct: rules.byteSizeChangePct,
  };
}

type AnalyseContext = { database: Database; model?: ModelAnalyser | undefined; signal: AbortSignal };

/** Analyses a change by the model, if there is one and the text may be shown to it, otherwise by the rules. */
async function analyse(
  subject: Subject,
  change: Change,
  { database, model, signal }: AnalyseContext,
): Promise<AuthoredAnalysis> {
  const { models, operations } = change;
  if (models && !isBlockedChange(change)) return byRules(describeModels(change, models), modelRulesVersion);
  if (operations) return byRules(describeOpenApi(change, operations), operationRulesVersion);
  const rules = models
    ? await runRules(change)
    : await addSinceShown(database, subject, change, await runRules(change));
  const mayAsk = model !== undefined && change.before !== null && !isBlockedChange(change);
  const answer = mayAsk ? await model({ subject, change, rules, signal }) : null;
  return answer ? { ...answer, analyser: "model" } : byRules(rules);
}

/** Returns the analysis of a subject. Its attempt is counted before, so that crashes count too. */
async function analyseAttempt(
  { database, model, signal, log }: AnalysisContext,
  subject: Subject,
  isCounted: boolean,
): Promise<AuthoredAnalysis> {
  if (subject.snapshotId === null) return byRules(missingFile);
  const attempt = isCounted ? await countAttempt(database, subject.snapshotId) : 1;
  if (attempt > 1) log.warn({ ...subject, attempt }, "earlier attempts to analyse a change failed");
  if (attempt > maxTextAttempts) return byRules(describeByMeasures(await readMeasures(database, subject)));
  const mayAsk = attempt <= maxModelAttempts;
  const change = await readChange(database, subject);
  return analyse(subject, change, { database, model: mayAsk ? model : undefined, signal });
}

const maxEventListCount = 100;

/** Returns the data of the event for a report. The vendor is read now, since an operator may have just made it private. */
async function createEvent({ database, ids }: AnalysisContext, report: NewReport) {
  const { diffId } = report;
  const [vendor, row] = await Promise.all([
    findReportedVendor(database, report.vendorId),
    diffId === null ? null : readDiffDetail(database, diffId),
  ]);
  const { name, slug, domain, category, accountId: vendorAccountId, reader } = vendor;
  const diff = row && toDiffDetail(row);
  const { models, operations } = await findDescribed(database, reader, diffId, maxEventListCount);
  const { BASE_URL: origin } = config();
  const data = {
    ...(origin && diffId !== null && { url: new URL(`/vendors/${slug}/diffs/${diffId}`, origin).href }),
    report: toReport({ ...report, vendor }),
    vendor: { name, slug, domain, category: categoryOf(category) },
    diff: diff && {
      ...diff,
      links_added: diff.links_added.slice(0, maxEventListCount),
      links_removed: diff.links_removed.slice(0, maxEventListCount),
    },
    ...(models?.length && { models: models.slice(0, maxEventListCount).map(toModelChange) }),
    ...(operations?.length && { operations: operations.map(toOperationChange) }),
  };
  const subject = { vendorSlug: slug, categories: report.categories, significance: report.significance, diffId };
  return { data, reportId: report.id, vendorAccountId, subject, at: report.createdAt, ids };
}

/**
 * Stores an analysis as a report and, in the same transaction, adds it to digests and enqueues webhooks, which are not
 * notified if it `replaces` one. Returns null if another writer was first, so that each change is reported once.
 */
async function writeReport(
  context: AnalysisContext,
  { analysis, ...author }: AuthoredAnalysis,
  { subject, mode, replaces = false }: { subject: Subject; mode: AnalysisMode; replaces?: boolean },
): Promise<NewReport | null> {
  const { database, clock, ids, onEvent } = context;
  const isFirstVersion = subject.diffId === null && subject.snapshotId !== null;
  const origin = { ...author, mode: replaces || isFirstVersion ? "full" : mode, createdAt: clock.now() } as const;
  const report: NewReport = { id: ids.next(), ...subject, ...analysis, ...origin };
  const isEvent = report.significance >= minHighSignificance && !replaces;
  const event = isEvent ? await prepareHighSignificance(database, await createEvent(context, report)) : null;
  const storeWithin = async (transaction: Transaction) => {
    const items = replaces && report.diffId !== null ? await findWaitingItems(transaction, report.diffId) : [];
    if (replaces) await deleteReport(transaction, report);
    const isFirst = await insertReportWithin(transaction, { ...report, event }, replaces);
    if (isFirst) await replaceItems(transaction, report.id, items);
    return isFirst;
  };
  const isStored =
    replaces || report.snapshotId === null
      ? await database.$transaction(storeWithin)
      : await insertReport(database, { ...report, event });
  if (isStored && isEvent) onEvent?.();
  return isStored ? report : null;
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
): Promise<NewReport | null> {
  return writeReport(context, await analyseAttempt(context, subject, !replaces), { subject, mode, replaces });
}

/**
 * Analyses a version that was just stored with its first attempt counted, and stores its report. Throws as
 * `analyseSubject` does; the analysis job makes further attempts.
 */
export async function analyseStored(context: AnalysisContext, subject: Subject, change: Change): Promise<void> {
  await writeReport(context, await analyse(subject, change, context), { subject, mode: "realtime" });
}
