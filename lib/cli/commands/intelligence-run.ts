import type { Command } from "commander";
import { analysisWork, analyzeChangesJob, runJob } from "#lib/jobs/index";
import type { IntelligenceReport } from "#lib/tracking/intelligence/index";
import { explainingFailures } from "../app-failure";
import { cronContext } from "../cron-context";
import { withDatabase } from "../launcher/with-database";
import { reportLines } from "../report-lines";
import { stopSignal } from "../stop-signal";

const help = `
Without vendors it does what the job analyze-changes does. Named vendors' latest versions are analysed anew: the new report
takes the place of the old one, and webhooks are not told again.`;

export function addAnalysisRunCommand(intelligence: Command): void {
  intelligence
    .command("run")
    .description("write the reports that are missing, or those of the named vendors anew")
    .argument("[slug...]", "the vendors")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (slugs: string[], { json }: { json?: boolean }) => {
      const reports: IntelligenceReport[] = [];
      const summary = await withDatabase((database) =>
        explainingFailures(async () => {
          const onReport = (report: IntelligenceReport) => reports.push(report);
          const work = slugs.length > 0 ? analysisWork({ slugs, onReport }) : undefined;
          const options = { signal: stopSignal(), ...(work && { work }) };
          return (await runJob(cronContext(database), analyzeChangesJob, options)).summary;
        }),
      );
      if (json) process.stdout.write(`${JSON.stringify({ summary, reports }, null, 2)}\n`);
      else {
        for (const report of reports) process.stdout.write(reportLines(report));
        process.stdout.write(
          `${summary.analysed} analysed, ${summary.high} of high significance, ${summary.failed} failed\n`,
        );
      }
    });
}
