import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import type { ModelAnalyser, ModelRequest } from "../analyse-subject";
import type { AskedAnswer, EndedAnswer, StoredAnswer } from "./answer-schema";
import { ask, askWithRetry, type CallOutcome, createBoundedFetch, type Sleep, sleepFor } from "./ask";
import { reserve, settle } from "./budget";
import { buildPrompt, estimateTokens, newBoundary, type Prompt, promptVersion } from "./prompt";
import { type ModelProvider, type ModelSettings, ModelSettingsError, modelProvider, usesBatches } from "./provider";
import { claimQuestion, endQuestion, findAnswer, type QuestionKey } from "./store";
import { verifyAnswer } from "./verify-answer";

export type ModelAnalyserContext = {
  database: Database;
  clock: Clock;
  log: Log;
  settings: ModelSettings;
  /** Asks at once also where batches are configured: for what an operator wants now. */
  isOnDemand?: boolean;
  sleep?: Sleep;
  /** Longest time of one call. */
  callTimeoutMs?: number;
};

type Context = Required<ModelAnalyserContext> & { provider: ModelProvider };

const defaultCallTimeoutMs = 20_000;
/** Longest answer that is read. */
const maxAnswerByteSize = 1_024 * 1_024;
/** How long a question counts as on its way: two calls, the wait between them, and some. */
const claimMs = 60_000;
/** How often one looks whether another process has its answer. */
const lookEveryMs = 500;

const boundedFetch = createBoundedFetch(maxAnswerByteSize);

/** Says that the rules write a report, with nothing of what was asked or answered. */
function tell({ log, provider }: Context, { diffId }: QuestionKey, failure: string): void {
  log.warn({ diffId, model: provider.model, failure }, "the model gave nothing to publish; the rules write the report");
}

const endOf = (outcome: CallOutcome, boundary: string): EndedAnswer =>
  outcome.kind === "answered"
    ? { state: "answered", boundary, answer: outcome.answer }
    : { state: outcome.kind === "unusable" ? "unusable" : "unanswered" };

/** What a call costs: what the provider said, else what was set aside, where it may have counted at all. */
function costOf(outcome: CallOutcome, reservedTokens: number): number {
  if (outcome.kind === "failed") return outcome.mayBeCounted ? reservedTokens : 0;
  return outcome.tokens ?? reservedTokens;
}

/** Asks and keeps what comes of it; null where another process has the question, or the day has no tokens left. */
async function askAndKeep(
  context: Context,
  key: QuestionKey,
  prompt: Prompt,
  { boundary, signal }: { boundary: string; signal: AbortSignal },
): Promise<EndedAnswer | "taken" | null> {
  const { database, clock, settings, provider, isOnDemand, sleep, callTimeoutMs: timeoutMs } = context;
  const reservation = await reserve(context, estimateTokens(prompt), settings.ANALYSIS_TOKENS_PER_DAY);
  if (!reservation) return null;
  const { tokens: reservedTokens } = reservation;
  const now = clock.now();
  const until = new Date(now.getTime() + claimMs).toISOString();
  const asked: AskedAnswer = { state: "asked", boundary, until, inBatch: false, reservedTokens };
  if (!(await claimQuestion(database, key, asked, { now, isUrgent: isOnDemand }))) {
    await settle(context, reservation, 0);
    return "taken";
  }
  const call = () => ask(provider, prompt, { fetch: boundedFetch, signal, timeoutMs });
  const outcome = await askWithRetry(call, { sleep, signal });
  await settle(context, reservation, costOf(outcome, reservedTokens));
  const ended = endOf(outcome, boundary);
  await endQuestion(database, key, boundary, ended);
  if (outcome.kind !== "answered") tell(context, key, outcome.failure);
  return ended;
}

/**
 * Waits for the answer that another process is asking for. Null where it will not come soon; one that is still `asked`
 * did not come in time, for its process is gone.
 */
async function awaitAnswer(context: Context, key: QuestionKey, signal: AbortSignal): Promise<StoredAnswer | null> {
  const { database, clock, sleep } = context;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (!isFirst) await sleep(lookEveryMs, signal).catch(() => undefined);
    const kept = await findAnswer(database, key);
    if (kept?.state !== "asked") return kept;
    if (kept.inBatch) return null;
    if (new Date(kept.until) <= clock.now()) return kept;
  }
  return null;
}

/** The answer to a question: the one that is kept, or one that is asked for now where that may be. */
async function obtain(context: Context, key: QuestionKey, request: ModelRequest): Promise<StoredAnswer | null> {
  const { database, clock, settings, isOnDemand } = context;
  const { change, rules, signal } = request;
  const kept = await findAnswer(database, key);
  if (kept?.state === "answered" || kept?.state === "unusable") return kept;
  if (signal.aborted || (usesBatches(settings) && !isOnDemand)) return kept;
  const isOnItsWay = kept?.state === "asked" && new Date(kept.until) > clock.now();
  if (isOnItsWay && !(kept.inBatch && isOnDemand)) {
    const awaited = await awaitAnswer(context, key, signal);
    if (awaited?.state !== "asked") return awaited;
  }
  const boundary = newBoundary();
  const outcome = await askAndKeep(context, key, buildPrompt(change, rules, boundary), { boundary, signal });
  return outcome === "taken" ? awaitAnswer(context, key, signal) : outcome;
}

async function analyseByModel(context: Context, request: ModelRequest): ReturnType<ModelAnalyser> {
  const { subject, change, rules } = request;
  const { model } = context.provider;
  if (subject.diffId === null || !change.comparison) return null;
  const key: QuestionKey = { diffId: subject.diffId, promptVersion, model };
  const kept = await obtain(context, key, request);
  if (kept?.state !== "answered") return null;
  const verified = verifyAnswer(kept.answer, { change, rules, boundary: kept.boundary });
  if ("analysis" in verified)
    return { analysis: verified.analysis, analyserVersion: `${model} prompt ${promptVersion}` };
  tell(context, key, verified.refusal);
  return null;
}

/**
 * The analyser that asks the configured model; undefined without one, and, with a line in the log, where its settings
 * are not complete. Each change is asked about once: answers are kept. Throws what the database throws.
 */
export function createModelAnalyser(given: ModelAnalyserContext): ModelAnalyser | undefined {
  try {
    const provider = modelProvider(given.settings);
    if (!provider) return undefined;
    const defaults = { isOnDemand: false, sleep: sleepFor, callTimeoutMs: defaultCallTimeoutMs };
    const context: Context = { ...defaults, ...given, provider };
    return (request) => analyseByModel(context, request);
  } catch (error) {
    if (!(error instanceof ModelSettingsError)) throw error;
    given.log.error({ failure: error.message }, "no model can be asked; the rules write the reports");
    return undefined;
  }
}
