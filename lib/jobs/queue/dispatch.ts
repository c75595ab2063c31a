import { fromPrisma } from "pg-boss";
import type { Database } from "#lib/platform/database/index";
import type { Queues } from "./client";
import type { QueueName } from "./queues";
import { findOpenKeys, lockDispatch } from "./store";

/** Work that is due, with the key by which a queue has it once. */
export type Due = { key: string; data: object };

/**
 * Creates a job for each piece of work that is due and has none yet; waits while another process does so for the same
 * queue. `findDue` reads from the tables, which are the truth about what is due.
 */
export async function dispatch(
  { boss }: Queues,
  database: Database,
  queue: QueueName,
  findDue: () => Promise<readonly Due[]>,
): Promise<void> {
  await database.$transaction(async (transaction) => {
    await lockDispatch(transaction, queue);
    const due = await findDue();
    const open = await findOpenKeys(
      database,
      queue,
      due.map(({ key }) => key),
    );
    const jobs = due.filter(({ key }) => !open.has(key)).map(({ key, data }) => ({ singletonKey: key, data }));
    if (jobs.length > 0) await boss.insert(queue, jobs, { db: fromPrisma(transaction) });
  });
}
