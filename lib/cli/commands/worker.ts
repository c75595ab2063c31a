import { type Command, InvalidArgumentError } from "commander";
import { type CronJob, cronJobs, isQueueName, type QueueName, queueNames, work } from "#lib/jobs/index";
import { type Config, config } from "#lib/platform/config";
import { cronContext } from "../cron-context";
import type { CommandIo } from "../io";
import { withDatabase } from "../launcher/open-database";
import { withStopSignal } from "../stop-signal";

const defaultConcurrency = 32;
const maxConcurrency = 256;

const help = `
Runs until SIGTERM or Ctrl-C; work that was begun is finished, or left to other workers. Start any number, on any number of
machines, with the same DATABASE_URL and ENCRYPTION_KEYS. They share the queues: ${queueNames.join(", ")}. Of the other jobs
(tapedeck cron list), one worker at a time does a run.

Examples:
  tapedeck worker
  tapedeck worker --queues fetch --concurrency 64`;

function parseConcurrency(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= maxConcurrency) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxConcurrency}.`);
}

function parseQueues(text: string): QueueName[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !isQueueName(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no queue "${unknown}". The queues are ${queueNames.join(", ")}.`);
  return names.filter(isQueueName);
}

/** Returns the jobs to run on this machine. On the embedded database, jobs that need the internet run only with CRON=on. */
export function scheduledJobs({ CRON, DATABASE_URL }: Pick<Config, "CRON" | "DATABASE_URL">): CronJob[] {
  if (CRON === "off") return [];
  const allowsInternet = CRON === "on" || DATABASE_URL !== undefined;
  return cronJobs.filter(({ callsInternet }) => allowsInternet || !callsInternet);
}

/** With `queues`, only the jobs that work on one of them. */
function selectJobs(queues: readonly QueueName[] | undefined): CronJob[] {
  const jobs = scheduledJobs(config());
  return queues ? jobs.filter((job) => job.queues?.some((name) => queues.includes(name))) : jobs;
}

export function addWorkerCommand(program: Command, io: CommandIo): void {
  program
    .command("worker")
    .description("run the jobs whenever they are due, and work on the queues, beside any number of other workers")
    .option("--concurrency <n>", `fetches at a time, 1 to ${maxConcurrency}`, parseConcurrency, defaultConcurrency)
    .option("--queues <names>", "only the jobs of these queues, separated by commas", parseQueues)
    .addHelpText("after", help)
    .action(async ({ concurrency, queues }: { concurrency: number; queues?: QueueName[] }) => {
      const jobs = selectJobs(queues);
      const names = jobs.map(({ name }) => name).join(", ");
      io.stderr.write(jobs.length === 0 ? "CRON=off: no job runs here.\n" : `Worker started: ${names}.\n`);
      if (jobs.length === 0) return;
      await withStopSignal((signal) =>
        withDatabase((database) => work(cronContext(database), { jobs, concurrency, signal })),
      );
    });
}
