import { Argument, type Command } from "commander";
import { cronJobs, findJob, findPaused, getCronStatus, runJob } from "#lib/jobs/index";
import { systemClock } from "#lib/platform/clock";
import { commandLine } from "#lib/platform/command-line";
import type { Database } from "#lib/platform/database/index";
import { minuteMs } from "#lib/platform/time";
import { cronContext } from "../cron-context";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";
import { withStopSignal } from "../stop-signal";

const help = `
Jobs:
${cronJobs.map(({ name, description }) => `  ${name.padEnd(16)} ${description}`).join("\n")}

fetch-vendors and analyze-changes share their work with all other runs; any other job runs once at a time, across all machines.
Ctrl-C ends a run early; the next run continues where it stopped.`;

export function addCronCommand(program: Command, io: CommandIo): void {
  const cron = program.command("cron").description("run jobs, and see their latest runs");
  cron
    .command("list")
    .description("list the jobs and how often they run")
    .option("--json", "print JSON")
    .action(({ json }: { json?: boolean }) => {
      if (json) {
        writeJson(
          io,
          cronJobs.map(({ name, description, everyMs, budgetMs }) => ({ name, description, everyMs, budgetMs })),
        );
        return;
      }
      for (const { name, description, everyMs } of cronJobs) {
        const minutes = String(everyMs / minuteMs).padStart(4);
        io.stdout.write(`${name.padEnd(18)}  every ${minutes} min  ${description}\n`);
      }
    });
  cron
    .command("run")
    .description("run a job now, and wait until it has finished")
    .addArgument(new Argument("<job>", "name of the job").choices(cronJobs.map(({ name }) => name)))
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (name: string, { json }: { json?: boolean }) => {
      const run = async (database: Database, signal: AbortSignal) => {
        const job = findJob(name);
        const result = await runJob(cronContext(database), job, { signal });
        return { ...result, paused: await findPaused(database, job.queues ?? []) };
      };
      const { runId, summary, paused } = await withStopSignal((signal) =>
        withDatabase((database) => run(database, signal)),
      );
      for (const queue of paused)
        io.stderr.write(`The queue ${queue} is paused; resume it: ${commandLine(`queue resume ${queue}`)}\n`);
      if (json) writeJson(io, { job: name, runId, summary });
      else for (const [what, count] of Object.entries(summary)) io.stdout.write(`${what.padEnd(14)} ${count}\n`);
    });
  cron
    .command("status")
    .description("show the latest run of each job")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { jobs } = await withDatabase((database) => getCronStatus({ database, clock: systemClock }, { query: {} }));
      if (json) writeJson(io, { jobs });
      else if (jobs.length === 0) io.stdout.write(`No job has run yet. Run one: ${commandLine("cron run --help")}\n`);
      for (const { name, last_run_at: at, status, summary, error } of json ? [] : jobs) {
        const counts = Object.entries(summary ?? {}).map(([what, count]) => `${what} ${count}`);
        io.stdout.write(`${at}  ${name.padEnd(16)}  ${status.padEnd(9)}  ${error ?? counts.join(", ")}\n`);
      }
    });
}
