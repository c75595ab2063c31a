import { compareModels, currentModels, isModelReader, type ModelChange, parseRows } from "#lib/models/index";
import type { Context } from "#lib/platform/context";
import type { WorkerLimits } from "#lib/platform/run-worker";
import type { DueVendor } from "#lib/tracking/ingestion/index";
import { type Change, isBlockedChange } from "#lib/tracking/intelligence/index";
import { compareOpenApi, type OperationChange } from "#lib/tracking/operations/index";
import { type PreparedVersion, prepareVersion, readSnapshotText } from "#lib/tracking/snapshots/index";

type PrepareContext = Pick<Context, "database" | "clock"> & { workerLimits?: WorkerLimits };

type PreparedChange = {
  version: PreparedVersion;
  change: Change;
  modelChanges: ModelChange[];
  operationChanges: OperationChange[];
};

/** New versions with their changes, by what they were compared with: most vendors of a URL have the same previous version. */
export type PreparedChanges = Map<string, Promise<PreparedChange>>;

/** Returns the new version with its security score, and the change from the previous version. Computes it once for concurrent calls. */
export async function prepareChange(
  context: PrepareContext,
  vendor: DueVendor,
  text: string,
  prepared: PreparedChanges,
): Promise<PreparedChange> {
  const { domain, name, reader, latestSnapshotId: previousSnapshotId, latestHash } = vendor;
  const key = `${latestHash} ${domain} ${reader}`;
  const pending = prepared.get(key) ?? computeChange(context, vendor, text);
  prepared.set(key, pending);
  try {
    const { version, change, ...changes } = await pending;
    return { ...changes, version: { ...version, previousSnapshotId }, change: { ...change, name } };
  } catch (error) {
    // Another vendor may have a previous version that can be read.
    prepared.delete(key);
    throw error;
  }
}

async function computeChange(context: PrepareContext, vendor: DueVendor, text: string): Promise<PreparedChange> {
  const { database, workerLimits } = context;
  const { domain, name, reader, latestSnapshotId: snapshotId, latestSecurityScore } = vendor;
  const previous = snapshotId === null ? null : { snapshotId, text: await readSnapshotText(database, snapshotId) };
  const version = await prepareVersion({ text, domain, previous }, workerLimits);
  const { securityScore, diff: comparison } = version;
  const texts = { before: previous?.text ?? null, after: text, comparison };
  const scores = { securityScore, previousSecurityScore: latestSecurityScore ?? 0 };
  const change: Change = { ...texts, domain, name, ...scores };
  let modelChanges: ModelChange[] = [];
  if (isModelReader(reader)) {
    if (previous && !isBlockedChange(change)) modelChanges = await compareVersions(context, previous.text, text);
    change.models = modelChanges;
  }
  let operationChanges: OperationChange[] = [];
  if (reader === "openapi") {
    const versions = { before: previous?.text ?? "", after: text, url: vendor.llmsTxtUrl, domain };
    if (previous) operationChanges = await compareOpenApi(versions, workerLimits);
    change.operations = operationChanges;
  }
  return { version, change, modelChanges, operationChanges };
}

async function compareVersions(context: PrepareContext, before: string, after: string): Promise<ModelChange[]> {
  const known = { now: context.clock.now(), catalogue: await currentModels(context) };
  return compareModels(parseRows(before), parseRows(after), known);
}
