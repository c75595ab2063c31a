import { promptVersion } from "../prompt";
import { type ModelProvider, type ModelSettings, ModelSettingsError, modelProvider, usesBatches } from "../provider";
import { findAsked, findOpenBatches } from "../store";
import type { BatchContext } from "./batch-api";
import { collectBatches } from "./collect-batches";
import { submitBatch } from "./submit-batch";

/** Most open batches that changes may wait for. */
const maxOpenCount = 200;

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
 * `waitingDiffIds` are left for a later run; for all others there is an answer or there will be none. Without batches
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
