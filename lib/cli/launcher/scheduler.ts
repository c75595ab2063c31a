import { setTimeout as wait } from "node:timers/promises";
import { type CronJob, cronJobs, runDueJobs } from "#lib/jobs/index";
import { type Config, config } from "#lib/platform/config";
import { createJobDatabase } from "#lib/platform/database/index";
import { log } from "#lib/platform/log";
import { cronContext } from "../cron-context";

/** Interval of checking which jobs are due, in milliseconds. */
const checkIntervalMs = 30_000;

/** Returns the jobs to run on this machine. On the embedded database, jobs that need the internet run only with CRON=on. */
export function scheduledJobs({ CRON, DATABASE_URL }: Pick<Config, "CRON" | "DATABASE_URL">) {
  if (CRON === "off") return [];
  const allowsInternet = CRON === "on" || DATABASE_URL !== undefined;
  return cronJobs.filter(({ callsInternet }) => allowsInternet || !callsInternet);
}

/** Runs jobs when they are due, until stopped. */
export function startScheduler(url: string): { stop(): Promise<void> } {
  const jobs = scheduledJobs(config());
  const controller = new AbortController();
  const { signal } = controller;
  const database = createJobDatabase(url);
  // Each job has its own loop, so that a long run does not delay the others.
  const runLoop = async (job: CronJob) => {
    while (!signal.aborted) {
      await runDueJobs(cronContext(database), [job], signal).catch((error: unknown) =>
        log().warn({ err: error, job: job.name }, "could not check whether the job is due"),
      );
      await wait(checkIntervalMs, undefined, { signal }).catch(() => {});
    }
  };
  const loops = Promise.all(jobs.map(runLoop));
  return {
    stop: async () => {
      controller.abort();
      await loops;
      await database.$disconnect();
    },
  };
}
