import type { Command } from "commander";
import { getCronStatus } from "#lib/jobs/index";
import { withDatabase } from "../launcher/with-database";

export function addCronStatusCommand(cron: Command): void {
  cron
    .command("status")
    .description("the latest run of each job")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { jobs } = await withDatabase((database) => getCronStatus({ database }));
      if (json) process.stdout.write(`${JSON.stringify({ jobs }, null, 2)}\n`);
      else if (jobs.length === 0) process.stdout.write("No job has run yet. Run one: tapedeck cron run --help\n");
      else
        for (const { name, last_run_at: at, status, summary, error } of jobs) {
          const counts = Object.entries(summary ?? {}).map(([what, count]) => `${what} ${count}`);
          process.stdout.write(`${at}  ${name.padEnd(14)}  ${status.padEnd(9)}  ${error ?? counts.join(", ")}\n`);
        }
    });
}
