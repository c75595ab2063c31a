import pLimit from "p-limit";
import type { Context } from "#lib/platform/context";
import { processSingleton } from "#lib/platform/process-singleton";
import type { ModelAnalyser, ModelRequest } from "../analyse-subject";
import type { EndedAnswer, StoredAnswer } from "./answer-schema";
import { ask, askWithRetry, type ModelProvider, type ModelSettings, modelProvider, type Sleep, sleepFor } from "./ask";
import { buildPrompt, estimateTokens, newBoundary, promptVersion } from "./prompt";
import { claimQuestion, correctTokens, endQuestion, findAnswer, type QuestionKey, reserveTokens } from "./store";
import { verifyAnswer } from "./verify-answer";

type BudgetContext = Pick<Context, "database" | "clock" | "log">;

const warned = processSingleton("model-budget", () => ({ days: new Set<string>() }));

/** Reserves tokens of a UTC day before they are spent; null if fewer are left, which is logged once per day and process. */
export async function reserve(
  { database, clock, log }: BudgetContext,
  tokens: number,
  tokensPerDay: number,
): Promise<{ day: Date; tokens: number } | null> {
  const name = clock.now().toISOString().slice(0, 10);
  const day = new Date(name);
  if (await reserveTokens(database, day, tokens, tokensPerDay)) return { day, tokens };
  if (!warned.days.has(name))
    log.warn({ day: name, tokensPerDay }, "the day's tokens for analyses are used up; the rules write the reports");
  warned.days.add(name);
  return null;
}

export type ModelAnalyserContext = BudgetContext & { settings: ModelSettings; sleep?: Sleep; callTimeoutMs?: number };

type AnalyserContext = Required<ModelAnalyserContext> & { provider: ModelProvider };

const defaultCallTimeoutMs = 20_000;
/** Duration of a claim on a question: enough for two calls and the wait between them. */
const claimMs = 60_000;
const pollIntervalMs = 500;

/** Most changes about which a process asks at a time. They wait before they are claimed, so that no claim expires meanwhile. */
export const maxModelCalls = 16;
const modelCalls = processSingleton("model-calls", () => pLimit(maxModelCalls));

/** Logs that the rules write a report, without any content of the prompt or the answer. */
function logFailure({ log, provider }: AnalyserContext, { diffId }: QuestionKey, failure: string): void {
  log.warn({ diffId, model: provider.model, failure }, "the model gave no usable answer; the rules write the report");
}

/** Returns the stored answer, after waiting for one that a process asks for now. If it stays `asked`, it will not come. */
async function awaitAnswer(
  { database, clock, sleep }: AnalyserContext,
  key: QuestionKey,
  signal: AbortSignal,
): Promise<StoredAnswer | null> {
  for (;;) {
    const stored = await findAnswer(database, key);
    if (stored?.state !== "asked" || new Date(stored.until) <= clock.now() || signal.aborted) return stored;
    await sleep(pollIntervalMs, signal).catch(() => undefined);
  }
}

/** Returns the stored answer to a question, or asks the model now. Null if no tokens are left. */
async function getAnswer(
  context: AnalyserContext,
  key: QuestionKey,
  { change, rules, signal }: ModelRequest,
): Promise<StoredAnswer | null> {
  const { database, clock, settings, provider, sleep, callTimeoutMs: timeoutMs } = context;
  const stored = await awaitAnswer(context, key, signal);
  if (stored?.state === "answered" || stored?.state === "unusable" || signal.aborted) return stored;
  const boundary = newBoundary();
  const prompt = buildPrompt(change, rules, boundary);
  const reservation = await reserve(context, estimateTokens(prompt), settings.ANALYSIS_TOKENS_PER_DAY);
  if (!reservation) return null;
  const now = clock.now();
  const until = new Date(now.getTime() + claimMs).toISOString();
  if (!(await claimQuestion(database, key, { state: "asked", boundary, until }, now))) {
    await correctTokens(database, reservation.day, -reservation.tokens);
    return awaitAnswer(context, key, signal);
  }
  const outcome = await askWithRetry(() => ask(provider, prompt, { signal, timeoutMs }), { sleep, signal });
  if (outcome.tokens !== null) await correctTokens(database, reservation.day, outcome.tokens - reservation.tokens);
  const { state } = outcome;
  const ended: EndedAnswer = state === "answered" ? { state, boundary, answer: outcome.answer } : { state };
  await endQuestion(database, key, boundary, ended);
  if (state !== "answered") logFailure(context, key, outcome.failure);
  return ended;
}

async function analyseByModel(context: AnalyserContext, request: ModelRequest): ReturnType<ModelAnalyser> {
  const { subject, change, rules } = request;
  const { model } = context.provider;
  if (subject.diffId === null || !change.comparison) return null;
  const key: QuestionKey = { diffId: subject.diffId, promptVersion, model };
  const stored = await modelCalls(() => getAnswer(context, key, request));
  if (stored?.state !== "answered") return null;
  const verified = verifyAnswer(stored.answer, { change, rules, boundary: stored.boundary });
  if ("analysis" in verified)
    return { analysis: verified.analysis, analyserVersion: `${model} prompt ${promptVersion}` };
  logFailure(context, key, verified.refusal);
  return null;
}

/**
 * Returns the analyser that asks the configured model, about each change once; undefined if there is none, or, after logging
 * an error, if its settings are incomplete. The analyser throws if the database fails.
 */
export function createModelAnalyser(given: ModelAnalyserContext): ModelAnalyser | undefined {
  const provider = modelProvider(given.settings);
  if (provider && "failure" in provider)
    given.log.error(provider, "the model is not configured correctly; the rules write the reports");
  if (!provider || "failure" in provider) return undefined;
  const context = { sleep: sleepFor, callTimeoutMs: defaultCallTimeoutMs, ...given, provider };
  return (request) => analyseByModel(context, request);
}
