import type { Context } from "#lib/platform/context";
import { isQueuePaused } from "#lib/platform/database/index";
import { secondMs } from "#lib/platform/time";
import type { Queues } from "./client";
import type { QueueName } from "./queues";

/** Interval of the signs of life, well below the time after which another process takes a job. */
const touchIntervalMs = 3 * secondMs;
/** Jobs are completed together: when this many have ended, or after this time. */
const maxEndedCount = 32;
const endWaitMs = 200;
/** How long a queue is taken as it was, paused or not. */
const pauseCheckMs = 2 * secondMs;

/** A job, and the attempt at it, which another process's attempt ends. */
export type JobAttempt = { id: string; retryCount: number };

export type TakenJob<T> = JobAttempt & { data: T };

type Ended = { isDone: boolean; attempt: JobAttempt };

/** The jobs that this process has taken from a queue. They stay taken until they end or the process does. */
export class TakenJobs<T extends object> {
  readonly #queues: Queues;
  readonly #name: QueueName;
  readonly #context: Pick<Context, "database" | "log">;
  readonly #active = new Map<string, JobAttempt>();
  readonly #timer: NodeJS.Timeout;
  #ended: Ended[] = [];
  #endTimer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #pause = { isPaused: false, checkedMs: Number.NEGATIVE_INFINITY };

  constructor(queues: Queues, name: QueueName, context: Pick<Context, "database" | "log">) {
    this.#queues = queues;
    this.#name = name;
    this.#context = context;
    this.#timer = setInterval(() => void this.#touch(), touchIntervalMs);
  }

  /** Takes up to `limit` jobs, the oldest first; none while the queue is paused. */
  async take(limit: number): Promise<TakenJob<T>[]> {
    if (limit < 1 || (await this.#isPaused())) return [];
    const jobs = await this.#queues.boss.fetch<T>(this.#name, { batchSize: limit });
    for (const { id, retryCount } of jobs) this.#active.set(id, { id, retryCount });
    return jobs;
  }

  /**
   * Ends a job: `done` if its work is stored, `released` if it is left to another run, which creates the job again from what is
   * due.
   */
  end({ id, retryCount }: JobAttempt, outcome: "done" | "released"): void {
    this.#ended.push({ isDone: outcome === "done", attempt: { id, retryCount } });
    if (this.#ended.length >= maxEndedCount) this.#write();
    else this.#endTimer ??= setTimeout(() => this.#write(), endWaitMs);
  }

  /** Writes how the jobs ended. Those that did not end go to other processes. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#write();
    await this.#writing;
  }

  /** A job whose end could not be written is taken again by another process, which finds nothing to do. */
  #write(): void {
    clearTimeout(this.#endTimer);
    this.#endTimer = undefined;
    const ended = this.#ended;
    this.#ended = [];
    if (ended.length === 0) return;
    const attempts = (isDone: boolean) => ended.filter((each) => each.isDone === isDone).map(({ attempt }) => attempt);
    const write = async () => {
      const [done, released] = [attempts(true), attempts(false)];
      try {
        if (done.length > 0) await this.#queues.boss.complete(this.#name, done);
        if (released.length > 0) {
          const ids = released.map(({ id }) => id);
          await this.#queues.boss.deleteJob(this.#name, ids);
        }
      } catch (error) {
        this.#context.log.warn({ err: error, queue: this.#name }, "could not complete jobs");
      } finally {
        for (const { attempt } of ended) this.#active.delete(attempt.id);
      }
    };
    this.#writing = this.#writing.then(write);
  }

  async #touch(): Promise<void> {
    if (this.#active.size === 0) return;
    try {
      await this.#queues.boss.touch(this.#name, [...this.#active.keys()]);
    } catch (error) {
      this.#context.log.warn({ err: error, queue: this.#name }, "could not keep jobs");
    }
  }

  async #isPaused(): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.#pause.checkedMs >= pauseCheckMs) {
      this.#pause = { isPaused: await isQueuePaused(this.#context.database, this.#name), checkedMs: nowMs };
    }
    return this.#pause.isPaused;
  }
}
