import { setTimeout as wait } from "node:timers/promises";
import { type CronJob, cronJobs, runDueJobs } from "#lib/jobs/index";
import { type Config, config } from "#lib/platform/config";
import { createDatabase } from "#lib/platform/database/index";
import { log } from "#lib/platform/log";
import { cronContext } from "../cron-context";

/** Time between two looks at what is due, in milliseconds. */
const tickMs = 30_000;

/** The jobs that this machine runs by itself: on the embedded database none that asks the internet, unless told to. */
export function tickedJobs({ CRON, DATABASE_URL }: Pick<Config, "CRON" | "DATABASE_URL">) {
  if (CRON === "off") return [];
  const asksInternet = CRON === "on" || DATABASE_URL !== undefined;
  return cronJobs.filter(({ callsInternet }) => asksInternet || !callsInternet);
}

/** Runs the jobs when they are due, until it is stopped. */
export function startTicker(url: string): { stop(): Promise<void> } {
  const jobs = tickedJobs(config());
  const controller = new AbortController();
  const { signal } = controller;
  const database = createDatabase(url);
  // Each for itself: a long run of one keeps no other waiting.
  const tick = async (job: CronJob) => {
    while (!signal.aborted) {
      await runDueJobs(cronContext(database), [job], signal).catch((error: unknown) =>
        log().warn({ err: error, job: job.name }, "nobody knows whether the job is due: the database does not answer"),
      );
      await wait(tickMs, undefined, { signal }).catch(() => {});
    }
  };
  const ticking = Promise.all(jobs.map(tick));
  return {
    stop: async () => {
      controller.abort();
      await ticking;
      await database.$disconnect();
    },
  };
}
