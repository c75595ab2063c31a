import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import type { ModelAnalyser, ModelRequest } from "../analyse-subject";
import type { AskedAnswer, EndedAnswer, StoredAnswer } from "./answer-schema";
import { ask, askWithRetry, type CallOutcome, createBoundedFetch, type Sleep, sleepFor } from "./ask";
import { buildPrompt, estimateTokens, newBoundary, type Prompt, promptVersion } from "./prompt";
import { type ModelProvider, type ModelSettings, ModelSettingsError, modelProvider } from "./provider";
import { claimQuestion, correctTokens, endQuestion, findAnswer, type QuestionKey, reserveTokens } from "./store";
import { verifyAnswer } from "./verify-answer";

/** Tokens reserved on a UTC day. */
type Reservation = { day: Date; tokens: number };

type BudgetContext = { database: Database; clock: Clock; log: Log };

/** Returns the UTC day of a time, as its midnight. */
function dayOf(at: Date): Date {
  return new Date(at.toISOString().slice(0, 10));
}

const warned = processSingleton("model-budget", () => ({ days: new Set<string>() }));

/** Logs once per day and process that no tokens are left. */
function warnOnce({ log }: BudgetContext, day: Date, tokensPerDay: number): void {
  const name = day.toISOString().slice(0, 10);
  if (warned.days.has(name)) return;
  warned.days.add(name);
  log.warn({ day: name, tokensPerDay }, "the day's tokens for analyses are used up; the rules write the reports");
}

/** Reserves tokens of today before they are spent; null if fewer are left. */
export async function reserve(
  context: BudgetContext,
  tokens: number,
  tokensPerDay: number,
): Promise<Reservation | null> {
  const day = dayOf(context.clock.now());
  if (await reserveTokens(context.database, day, tokens, tokensPerDay)) return { day, tokens };
  warnOnce(context, day, tokensPerDay);
  return null;
}

/** Replaces a reservation by the tokens that were spent. */
export async function settle({ database }: BudgetContext, { day, tokens }: Reservation, spent: number): Promise<void> {
  if (spent !== tokens) await correctTokens(database, day, spent - tokens);
}

export type ModelAnalyserContext = {
  database: Database;
  clock: Clock;
  log: Log;
  settings: ModelSettings;
  sleep?: Sleep;
  /** Longest duration of a call. */
  callTimeoutMs?: number;
};

type AnalyserContext = Required<ModelAnalyserContext> & { provider: ModelProvider };

const defaultCallTimeoutMs = 20_000;
const maxAnswerByteSize = 1_024 * 1_024;
/** Duration of a claim on a question: enough for two calls and the wait between them. */
const claimMs = 60_000;
/** Interval for polling the answer that another process asks for. */
const pollIntervalMs = 500;

const boundedFetch = createBoundedFetch(maxAnswerByteSize);

/** Logs that the rules write a report, without any content of the prompt or the answer. */
function logFailure({ log, provider }: AnalyserContext, { diffId }: QuestionKey, failure: string): void {
  log.warn({ diffId, model: provider.model, failure }, "the model gave no usable answer; the rules write the report");
}

const endOf = (outcome: CallOutcome, boundary: string): EndedAnswer =>
  outcome.kind === "answered"
    ? { state: "answered", boundary, answer: outcome.answer }
    : { state: outcome.kind === "unusable" ? "unusable" : "unanswered" };

/** Returns the tokens of a call: as reported, otherwise as reserved if the provider may have counted the call. */
function costOf(outcome: CallOutcome, reservedTokens: number): number {
  if (outcome.kind === "failed") return outcome.mayBeCounted ? reservedTokens : 0;
  return outcome.tokens ?? reservedTokens;
}

/** Asks the model and stores the result. `taken` if another process has the question; null if no tokens are left. */
async function askAndStore(
  context: AnalyserContext,
  key: QuestionKey,
  prompt: Prompt,
  { boundary, signal }: { boundary: string; signal: AbortSignal },
): Promise<EndedAnswer | "taken" | null> {
  const { database, clock, settings, provider, sleep, callTimeoutMs: timeoutMs } = context;
  const reservation = await reserve(context, estimateTokens(prompt), settings.ANALYSIS_TOKENS_PER_DAY);
  if (!reservation) return null;
  const { tokens: reservedTokens } = reservation;
  const now = clock.now();
  const until = new Date(now.getTime() + claimMs).toISOString();
  const asked: AskedAnswer = { state: "asked", boundary, until };
  if (!(await claimQuestion(database, key, asked, now))) {
    await settle(context, reservation, 0);
    return "taken";
  }
  const call = () => ask(provider, prompt, { fetch: boundedFetch, signal, timeoutMs });
  const outcome = await askWithRetry(call, { sleep, signal });
  await settle(context, reservation, costOf(outcome, reservedTokens));
  const ended = endOf(outcome, boundary);
  await endQuestion(database, key, boundary, ended);
  if (outcome.kind !== "answered") logFailure(context, key, outcome.failure);
  return ended;
}

/**
 * Waits for the answer that another process is asking for. Returns null if it will not come soon; a result that is still
 * `asked` has expired, because its process has ended.
 */
async function awaitAnswer(
  context: AnalyserContext,
  key: QuestionKey,
  signal: AbortSignal,
): Promise<StoredAnswer | null> {
  const { database, clock, sleep } = context;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (!isFirst) await sleep(pollIntervalMs, signal).catch(() => undefined);
    const stored = await findAnswer(database, key);
    if (stored?.state !== "asked") return stored;
    if (new Date(stored.until) <= clock.now()) return stored;
  }
  return null;
}

/** Returns the stored answer to a question, or asks the model now if allowed. */
async function getAnswer(
  context: AnalyserContext,
  key: QuestionKey,
  request: ModelRequest,
): Promise<StoredAnswer | null> {
  const { database, clock } = context;
  const { change, rules, signal } = request;
  const stored = await findAnswer(database, key);
  if (stored?.state === "answered" || stored?.state === "unusable") return stored;
  if (signal.aborted) return stored;
  if (stored?.state === "asked" && new Date(stored.until) > clock.now()) {
    const awaited = await awaitAnswer(context, key, signal);
    if (awaited?.state !== "asked") return awaited;
  }
  const boundary = newBoundary();
  const outcome = await askAndStore(context, key, buildPrompt(change, rules, boundary), { boundary, signal });
  return outcome === "taken" ? awaitAnswer(context, key, signal) : outcome;
}

async function analyseByModel(context: AnalyserContext, request: ModelRequest): ReturnType<ModelAnalyser> {
  const { subject, change, rules } = request;
  const { model } = context.provider;
  if (subject.diffId === null || !change.comparison) return null;
  const key: QuestionKey = { diffId: subject.diffId, promptVersion, model };
  const stored = await getAnswer(context, key, request);
  if (stored?.state !== "answered") return null;
  const verified = verifyAnswer(stored.answer, { change, rules, boundary: stored.boundary });
  if ("analysis" in verified)
    return { analysis: verified.analysis, analyserVersion: `${model} prompt ${promptVersion}` };
  logFailure(context, key, verified.refusal);
  return null;
}

/**
 * Returns the analyser that asks the configured model; undefined if there is none, or, after logging an error, if its
 * settings are incomplete. The analyser asks about each change once, because answers are stored. It throws if the
 * database fails.
 */
export function createModelAnalyser(given: ModelAnalyserContext): ModelAnalyser | undefined {
  try {
    const provider = modelProvider(given.settings);
    if (!provider) return undefined;
    const defaults = { sleep: sleepFor, callTimeoutMs: defaultCallTimeoutMs };
    const context: AnalyserContext = { ...defaults, ...given, provider };
    return (request) => analyseByModel(context, request);
  } catch (error) {
    if (!(error instanceof ModelSettingsError)) throw error;
    given.log.error({ failure: error.message }, "the model is not configured correctly; the rules write the reports");
    return undefined;
  }
}
