import { Argument, type Command } from "commander";
import {
  deadFetches,
  type QueueName,
  type QueueStatus,
  queueNames,
  readQueueStatus,
  retryFailed,
  setPaused,
} from "#lib/jobs/index";
import { systemClock } from "#lib/platform/clock";
import { secondMs } from "#lib/platform/time";
import { countDue } from "#lib/tracking/index";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";

const queueArgument = () => new Argument("<queue>", "name of the queue").choices(queueNames);

function line({ name, waiting, running, failed, completed, oldestAt, pausedAt }: QueueStatus, nowMs: number): string {
  const age = oldestAt === null ? "" : `, the oldest for ${Math.round((nowMs - oldestAt.getTime()) / secondMs)} s`;
  const counts = `${waiting} waiting${age}, ${running} running, ${failed} failed, ${completed} completed in the last hour`;
  return `${name.padEnd(10)}  ${pausedAt ? `paused since ${pausedAt.toISOString()}, ` : ""}${counts}\n`;
}

export function addQueueCommand(program: Command, io: CommandIo): void {
  const queue = program.command("queue").description("see, pause and resume the queues of the workers");
  queue
    .command("status")
    .description("count the jobs of each queue, and the vendors that are due")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const now = systemClock.now();
      const [queues, vendorsDue] = await withDatabase((database) =>
        Promise.all([readQueueStatus(database), countDue(database, now)]),
      );
      if (json) writeJson(io, { queues, vendorsDue });
      else {
        for (const each of queues) io.stdout.write(line(each, now.getTime()));
        io.stdout.write(`${vendorsDue} ${vendorsDue === 1 ? "vendor is" : "vendors are"} due\n`);
      }
    });
  queue
    .command("retry")
    .description("try the failed jobs of a queue again; for fetch-dead, before they are recorded as failed fetches")
    .addArgument(new Argument("<queue>", "name of the queue").choices([...queueNames, deadFetches]))
    .action(async (name: QueueName | typeof deadFetches) => {
      const count = await withDatabase((database) => retryFailed(database, name));
      io.stdout.write(`${count} ${count === 1 ? "job is" : "jobs are"} tried again.\n`);
    });
  const change = (command: string, description: string, result: string, pausedAt: () => Date | null) =>
    queue
      .command(command)
      .description(description)
      .addArgument(queueArgument())
      .action(async (name: string) => {
        await withDatabase((database) => setPaused(database, name, pausedAt()));
        io.stdout.write(`${name} ${result}\n`);
      });
  change("pause", "let the jobs of a queue wait; those that run are finished", "is paused within 2 s.", () =>
    systemClock.now(),
  );
  change("resume", "work on a paused queue again", "is resumed.", () => null);
}
