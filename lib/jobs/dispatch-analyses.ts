import type { Database } from "#lib/platform/database/index";
import { findVendorsOfFetches } from "#lib/tracking/index";
import { findUnanalysed, type Subject } from "#lib/tracking/intelligence/index";
import { dispatch, type Queues } from "./queue/index";

/** Most subjects that get a job at a time. */
const dispatchCount = 2_000;

const keyOf = ({ vendorId, snapshotId, diffId }: Subject) =>
  diffId ?? (snapshotId === null ? `missing:${vendorId}` : `first:${vendorId}`);

/** Creates a job for each subject that is found, unless it has one. */
export function dispatchAnalyses(
  queues: Queues,
  database: Database,
  find: (limit: number) => Promise<Subject[]>,
): Promise<void> {
  return dispatch(queues, database, "analyse", async () => {
    const subjects = await find(dispatchCount);
    return subjects.map((subject) => ({ key: keyOf(subject), data: subject }));
  });
}

/** Creates jobs for the reports that a process owed when it ended: those of the vendors that it fetched. */
export async function dispatchMissedAnalyses(
  queues: Queues,
  database: Database,
  fetchedIds: readonly string[],
): Promise<void> {
  const vendorIds = await findVendorsOfFetches(database, fetchedIds);
  await dispatchAnalyses(queues, database, (limit) => findUnanalysed(database, { vendorIds, limit }));
}
