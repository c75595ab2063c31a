import type { Command } from "commander";
import { cronJobs } from "#lib/jobs/index";
import { minuteMs } from "#lib/platform/time";

export function addCronListCommand(cron: Command): void {
  cron
    .command("list")
    .description("every job, and how often it runs")
    .option("--json", "print JSON")
    .action(({ json }: { json?: boolean }) => {
      const jobs = cronJobs.map(({ name, description, everyMs, budgetMs }) => ({
        name,
        description,
        everyMs,
        budgetMs,
      }));
      if (json) process.stdout.write(`${JSON.stringify(jobs, null, 2)}\n`);
      else
        for (const { name, description, everyMs } of jobs) {
          process.stdout.write(
            `${name.padEnd(18)}  every ${String(everyMs / minuteMs).padStart(4)} min  ${description}\n`,
          );
        }
    });
}
