import type { Database } from "./client";

/** Whether an operator has paused a queue. */
export async function isQueuePaused(client: Database, name: string): Promise<boolean> {
  return (await client.pausedQueue.count({ where: { name } })) > 0;
}
