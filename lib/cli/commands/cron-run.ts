import { Argument, type Command } from "commander";
import { cronJobs, findJob, runJob } from "#lib/jobs/index";
import { explainingFailures } from "../app-failure";
import { cronContext } from "../cron-context";
import { withDatabase } from "../launcher/with-database";
import { stopSignal } from "../stop-signal";

const help = `
Jobs:
${cronJobs.map(({ name, description }) => `  ${name.padEnd(14)} ${description}`).join("\n")}

One run of a job goes on at a time, on all machines together. Ctrl-C ends a run early; the next one goes on from there.`;

export function addCronRunCommand(cron: Command): void {
  cron
    .command("run")
    .description("run a job now, and wait until it is done")
    .addArgument(new Argument("<job>", "its name").choices(cronJobs.map(({ name }) => name)))
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (name: string, { json }: { json?: boolean }) => {
      const { runId, summary } = await withDatabase((database) =>
        explainingFailures(() => runJob(cronContext(database), findJob(name), { signal: stopSignal() })),
      );
      if (json) process.stdout.write(`${JSON.stringify({ job: name, runId, summary }, null, 2)}\n`);
      else for (const [what, count] of Object.entries(summary)) process.stdout.write(`${what.padEnd(14)} ${count}\n`);
    });
}
