import { type Command, InvalidArgumentError } from "commander";
import { isQueueName, type QueueName, queueNames, work, workerJobs } from "#lib/jobs/index";
import { config } from "#lib/platform/config";
import { parseLimit } from "../arguments";
import { cronContext } from "../cron-context";
import { CommandFailure } from "../failure";
import type { CommandIo } from "../io";
import { withDatabase } from "../launcher/open-database";
import { withStopSignal } from "../stop-signal";

const defaultConcurrency = 32;
const maxConcurrency = 256;

const help = `
Runs until SIGTERM or Ctrl-C; work that was begun is finished, or left to other workers. Start any number, on any number of
machines, with the same DATABASE_URL and ENCRYPTION_KEYS. They share the queues: ${queueNames.join(", ")}. Of the other jobs
(tapedeck cron list), one worker at a time does a run. verify-fleet runs only where BASE_URL is set.

Examples:
  tapedeck worker
  tapedeck worker --queues fetch --concurrency 64`;

function parseQueues(text: string): QueueName[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !isQueueName(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no queue "${unknown}". The queues are ${queueNames.join(", ")}.`);
  return names.filter(isQueueName);
}

export function addWorkerCommand(program: Command, io: CommandIo): void {
  program
    .command("worker")
    .description("run the jobs whenever they are due, and work on the queues, beside any number of other workers")
    .option(
      "--concurrency <n>",
      `fetches at a time, 1 to ${maxConcurrency}`,
      parseLimit(maxConcurrency),
      defaultConcurrency,
    )
    .option("--queues <names>", "only the jobs of these queues, separated by commas", parseQueues)
    .addHelpText("after", help)
    .action(async ({ concurrency, queues }: { concurrency: number; queues?: QueueName[] }) => {
      const jobs = workerJobs(config(), { queues, isBesideServer: process.send !== undefined });
      if (config().CRON === "off")
        throw new CommandFailure("CRON=off means that no job runs here. Unset CRON, or start no worker.");
      if (jobs.length === 0)
        throw new CommandFailure("The jobs of these queues need the internet. Set DATABASE_URL, or CRON=on.");
      io.stderr.write(`Worker started: ${jobs.map(({ name }) => name).join(", ")}.\n`);
      await withStopSignal((signal) =>
        withDatabase((database) => {
          // npm run up waits for it after a failure.
          process.send?.({ ready: true });
          return work(cronContext(database), { jobs, concurrency, signal });
        }),
      );
    });
}
