import type { Command } from "commander";
import { findVendorReports } from "#lib/tracking/intelligence/index";
import { explainingFailures } from "../app-failure";
import { withDatabase } from "../launcher/with-database";
import { parseLimit } from "../parse-limit";
import { reportLines } from "../report-lines";

export function addShowReportsCommand(intelligence: Command): void {
  intelligence
    .command("show")
    .description("a vendor's reports, the newest first")
    .argument("<slug>", "the vendor")
    .option("--limit <count>", "how many", parseLimit(1_000), 10)
    .option("--json", "print JSON")
    .action(async (slug: string, { limit, json }: { limit: number; json?: boolean }) => {
      const reports = await withDatabase((database) =>
        explainingFailures(() => findVendorReports({ database }, { slug, limit })),
      );
      if (json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
      else if (reports.length === 0) process.stdout.write("No reports yet. Write them: tapedeck intelligence run\n");
      else for (const report of reports) process.stdout.write(reportLines(report));
    });
}
