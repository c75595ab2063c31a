import { fromPrisma, PgBoss } from "pg-boss";
import { type Database, queryDirectly } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import { secondMs } from "#lib/platform/time";
import { type QueueName, queueDefinitions } from "./queues";
import { findOpenKeys, lockDispatch } from "./store";

/** Work that is due, with the key by which a queue has it once. */
type Due = { key: string; data: object };

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

/** Time between a process's checks for jobs whose process has ended, and between the checks of all processes together. */
const superviseIntervalMs = 3 * secondMs;
const monitorIntervalMs = 2 * secondMs;

/** The queues in the database, through pg-boss. */
export type Queues = {
  boss: PgBoss;
  /** Stops to use them. What was taken and not completed goes to another process. */
  close(): Promise<void>;
};

/** Creates missing queues, and gives the others today's definitions. */
async function defineQueues(boss: PgBoss): Promise<void> {
  const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  for (const { name, policy, ...options } of queueDefinitions) {
    const found = existing.get(name);
    if (!found) await boss.createQueue(name, { policy, ...options });
    else if (Object.entries(options).some(([key, value]) => found[key as keyof typeof found] !== value))
      await boss.updateQueue(name, options);
  }
}

/**
 * Opens the queues over the connections of a database client, and gives the jobs of processes that have ended to others
 * until it is closed. Throws if the migrations are not applied.
 */
export async function openQueues({ database, log }: { database: Database; log: Log }): Promise<Queues> {
  const boss = new PgBoss({
    db: {
      executeSql: async (text, values) => ({ rows: await queryDirectly(database, { text, values: values ?? [] }) }),
    },
    // `prisma/migrations` has its tables. Nothing runs by itself, so that a function or a command can end.
    migrate: false,
    schedule: false,
    supervise: false,
    monitorIntervalSeconds: monitorIntervalMs / secondMs,
  });
  boss.on("error", (error) => log.warn({ err: error }, "the queue reports an error"));
  await boss.start();
  await defineQueues(boss);
  const supervise = () =>
    boss.supervise().catch((error: unknown) => log.warn({ err: error }, "could not check the queues"));
  await supervise();
  let supervision = Promise.resolve<unknown>(undefined);
  const timer = setInterval(() => {
    supervision = supervision.then(supervise);
  }, superviseIntervalMs);
  const close = async () => {
    clearInterval(timer);
    await supervision;
    await boss.stop({ close: false, graceful: false });
  };
  return { boss, close };
}
