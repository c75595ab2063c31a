import { dayMs } from "#lib/platform/time";
import type { AskedAnswer, EndedAnswer } from "../answer-schema";
import { dayOf, settle } from "../budget";
import { promptVersion } from "../prompt";
import {
  deleteEndedBatches,
  endBatch,
  endQuestion,
  findAsked,
  findOpenBatches,
  type OpenBatch,
  type QuestionKey,
} from "../store";
import {
  type BatchContext,
  BatchError,
  type BatchResult,
  batchWaitMs,
  readBatch,
  readMessage,
  readResults,
} from "./batch-api";

/** Most open batches that are checked in a run, or that changes may wait for. */
export const maxOpenCount = 200;
/** How long ended batches are kept for operators. */
const retentionMs = 7 * dayMs;

/** Returns the final state of a question by its result, and the tokens it used. */
async function readResult(
  { provider }: BatchContext,
  result: BatchResult["result"] | undefined,
  { boundary, reservedTokens }: AskedAnswer,
): Promise<{ ended: EndedAnswer; tokens: number }> {
  if (result?.type !== "succeeded") return { ended: { state: "unanswered" }, tokens: 0 };
  const outcome = await readMessage(provider, result.message);
  if (outcome.kind === "failed") return { ended: { state: "unusable" }, tokens: reservedTokens };
  const tokens = outcome.tokens ?? reservedTokens;
  if (outcome.kind === "unusable") return { ended: { state: "unusable" }, tokens };
  return { ended: { state: "answered", boundary, answer: outcome.answer }, tokens };
}

/** Stores the results of a batch. Questions whose result was stored before are skipped. */
async function storeResults(
  context: BatchContext,
  batch: OpenBatch,
  resultOf: (diffId: string) => BatchResult["result"] | undefined,
): Promise<void> {
  const { database, clock, provider, signal } = context;
  const { model } = provider;
  const asked = await findAsked(database, { diffIds: batch.diffIds, promptVersion, model });
  const day = dayOf(batch.createdAt);
  for (const [diffId, question] of asked) {
    if (signal.aborted) return;
    if (!question.inBatch) continue;
    const { ended, tokens } = await readResult(context, resultOf(diffId), question);
    const key: QuestionKey = { diffId, promptVersion, model };
    if (!(await endQuestion(database, key, question.boundary, ended))) continue;
    await settle(context, { day, tokens: question.reservedTokens }, tokens);
  }
  await endBatch(database, batch.id, clock.now());
}

/** Stores the results of a batch if it has ended. Abandons it if it is too old or unknown to the provider. */
async function collectBatch(context: BatchContext, batch: OpenBatch): Promise<void> {
  const { clock, endpoint, log, signal } = context;
  let isLost = clock.now().getTime() - batch.createdAt.getTime() >= batchWaitMs;
  try {
    const state = await readBatch(endpoint, batch.providerId, signal);
    if (state.processing_status === "ended") {
      const results = new Map(
        (await readResults(endpoint, state, signal)).map(({ custom_id, result }) => [custom_id, result]),
      );
      return await storeResults(context, batch, (diffId) => results.get(diffId));
    }
  } catch (error) {
    if (!(error instanceof BatchError)) throw error;
    if (signal.aborted) return;
    log.warn({ batchId: batch.id, failure: error.message }, "could not check a batch of analyses");
    isLost ||= error.status === 404;
  }
  if (!isLost) return;
  log.warn(
    { batchId: batch.id, diffs: batch.diffIds.length },
    "abandoned a batch of analyses; the rules write the reports",
  );
  await storeResults(context, batch, () => undefined);
}

/** Stores the results of ended batches, and ends the batches of another model. */
export async function collectBatches(context: BatchContext): Promise<void> {
  const { database, clock, provider, signal } = context;
  for (const batch of await findOpenBatches(database, maxOpenCount)) {
    if (signal.aborted) return;
    if (batch.model === provider.model) await collectBatch(context, batch);
    else await endBatch(database, batch.id, clock.now());
  }
  await deleteEndedBatches(database, new Date(clock.now().getTime() - retentionMs));
}
