import { blockedScore } from "#lib/contract/blocked-content";
import { runRules } from "../../rules/run-rules";
import { readChange } from "../../store";
import type { AskedAnswer } from "../answer-schema";
import { type Reservation, reserve, settle } from "../budget";
import { buildPrompt, estimateTokens, newBoundary, promptVersion } from "../prompt";
import { type ModelProvider, type ModelSettings, ModelSettingsError, modelProvider, usesBatches } from "../provider";
import { findAsked, findOpenBatches, findUnasked, insertBatch } from "../store";
import { type BatchContext, BatchError, type BatchRequest, batchWaitMs, createBatch, writeRequest } from "./batch-api";
import { collectBatches, maxOpenCount } from "./collect-batches";

/** Most changes per batch. */
const maxBatchSize = 500;

type Item = { diffId: string; request: BatchRequest; betas: string | undefined; asked: AskedAnswer };
type Waiting = Awaited<ReturnType<typeof findUnasked>>[number];

/** Returns the question about a change with its tokens reserved; null if too few are left today. */
async function prepareItem(
  context: BatchContext,
  { id: diffId, vendorId, currentSnapshotId: snapshotId }: Waiting,
  createdAt: Date,
): Promise<{ item: Item; reservation: Reservation } | null> {
  const { database, settings, provider } = context;
  const change = await readChange(database, { vendorId, snapshotId, diffId });
  const boundary = newBoundary();
  const prompt = buildPrompt(change, await runRules(change), boundary);
  const { params, betas } = await writeRequest(provider, prompt);
  const reservation = await reserve(context, estimateTokens(prompt), settings.ANALYSIS_TOKENS_PER_DAY);
  if (!reservation) return null;
  const until = new Date(createdAt.getTime() + batchWaitMs).toISOString();
  const asked: AskedAnswer = { state: "asked", boundary, until, inBatch: true, reservedTokens: reservation.tokens };
  return { item: { diffId, request: { custom_id: diffId, params }, betas, asked }, reservation };
}

/** Returns the questions that the day's tokens allow. A change that cannot be read is skipped. */
async function prepareItems(context: BatchContext, createdAt: Date) {
  const { database, log, provider, signal } = context;
  const { model } = provider;
  const waiting = await findUnasked(
    database,
    { promptVersion, model },
    { belowScore: blockedScore, limit: maxBatchSize },
  );
  const [items, reservations]: [Item[], Reservation[]] = [[], []];
  for (const change of waiting) {
    if (signal.aborted) break;
    try {
      const prepared = await prepareItem(context, change, createdAt);
      if (!prepared) break;
      items.push(prepared.item);
      reservations.push(prepared.reservation);
    } catch (error) {
      log.error({ err: error, diffId: change.id }, "could not add a change to a batch");
    }
  }
  return { items, reservations };
}

async function submit({ endpoint, log, signal }: BatchContext, items: readonly Item[]) {
  const betas = items.map((item) => item.betas).find((named) => named !== undefined);
  try {
    const requests = items.map(({ request }) => request);
    return { providerId: (await createBatch(endpoint, requests, { betas, signal })).id };
  } catch (error) {
    if (!(error instanceof BatchError)) throw error;
    log.warn(
      { diffs: items.length, failure: error.message },
      "a batch of analyses was rejected; the rules write the reports",
    );
    // After other failures the provider may have accepted the batch, so the reserved tokens stay counted.
    return { isRefused: error.status !== undefined && error.status < 500 };
  }
}

/** Submits the changes that the model was not asked about yet, as many as the day's tokens allow. */
async function submitBatch(context: BatchContext): Promise<void> {
  const { database, clock, ids, provider, signal } = context;
  const createdAt = clock.now();
  const { items, reservations } = await prepareItems(context, createdAt);
  if (items.length === 0) return;
  const { providerId, isRefused } = signal.aborted ? { isRefused: true } : await submit(context, items);
  if (providerId === undefined) {
    if (isRefused) for (const reservation of reservations) await settle(context, reservation, 0);
    return;
  }
  const { model } = provider;
  const diffIds = items.map(({ diffId }) => diffId);
  const asked = new Map(items.map((item) => [item.diffId, item.asked]));
  await insertBatch(database, { id: ids.next(), providerId, model, diffIds, createdAt }, { promptVersion, asked });
}

/** Returns the ids of the changes whose answers are pending. */
async function findWaiting({ database, clock, provider }: BatchContext): Promise<Set<string>> {
  const batches = await findOpenBatches(database, maxOpenCount);
  const diffIds = batches.flatMap((batch) => batch.diffIds);
  const asked = await findAsked(database, { diffIds, promptVersion, model: provider.model });
  const now = clock.now();
  return new Set(
    [...asked].filter(([, { inBatch, until }]) => inBatch && new Date(until) > now).map(([diffId]) => diffId),
  );
}

function providerOf(settings: ModelSettings): ModelProvider | undefined {
  try {
    return modelProvider(settings);
  } catch (error) {
    if (error instanceof ModelSettingsError) return undefined;
    throw error;
  }
}

/**
 * Collects the results of ended batches and submits new changes, before the analysis job writes reports. Changes in
 * `waitingDiffIds` are left for a later run; all others have their answer or will not get one. Without batches
 * nothing waits. Does not throw for failures of the provider.
 */
export async function prepareBatch(
  given: Omit<BatchContext, "provider" | "endpoint">,
): Promise<{ waitingDiffIds: ReadonlySet<string> }> {
  const provider = providerOf(given.settings);
  if (!provider?.batches) return { waitingDiffIds: new Set() };
  const context: BatchContext = { ...given, provider, endpoint: provider.batches };
  await collectBatches(context);
  if (!usesBatches(given.settings)) return { waitingDiffIds: new Set() };
  await submitBatch(context);
  return { waitingDiffIds: await findWaiting(context) };
}
