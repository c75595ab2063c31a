import type { Command } from "commander";
import { analysisWork, analyzeChangesJob, runJob } from "#lib/jobs/index";
import { commandLine } from "#lib/platform/command-line";
import { printable } from "#lib/platform/printable";
import { findVendorReports, type IntelligenceReport } from "#lib/tracking/intelligence/index";
import { parseLimit } from "../arguments";
import { cronContext } from "../cron-context";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";
import { withStopSignal } from "../stop-signal";

const help = `
Without vendors, does what the job analyze-changes does. With vendors, analyses their latest versions again: the new
report replaces the old one, and webhooks are not sent again.`;

export function addIntelligenceCommand(program: Command, io: CommandIo): void {
  const intelligence = program.command("intelligence").description("write and show reports of changes");
  addRunCommand(intelligence, io);
  addShowCommand(intelligence, io);
}

function reportLines(report: IntelligenceReport): string {
  const { vendor, summary, significance, categories, key_quotes: quotes, created_at: at, analysis_mode: mode } = report;
  const head = `${at}  ${vendor.slug}  significance ${significance}  ${categories.join(", ")}  (${mode})`;
  return `${[head, summary, ...quotes.map((quote) => `> ${quote}`)].map(printable).join("\n  ")}\n`;
}

function addRunCommand(intelligence: Command, io: CommandIo): void {
  intelligence
    .command("run")
    .description("write missing reports, or write those of the named vendors again")
    .argument("[slug...]", "the vendors")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (slugs: string[], { json }: { json?: boolean }) => {
      const reports: IntelligenceReport[] = [];
      const onReport = (report: IntelligenceReport) => reports.push(report);
      const work = slugs.length > 0 ? { work: analysisWork({ slugs, onReport }) } : {};
      const { summary } = await withStopSignal((signal) =>
        withDatabase((database) => runJob(cronContext(database), analyzeChangesJob, { signal, ...work })),
      );
      if (json) {
        writeJson(io, { summary, reports });
        return;
      }
      for (const report of reports) io.stdout.write(reportLines(report));
      const { analysed, high, failed } = summary;
      io.stdout.write(`${analysed} analysed, ${high} of high significance, ${failed} failed\n`);
    });
}

function addShowCommand(intelligence: Command, io: CommandIo): void {
  intelligence
    .command("show")
    .description("show a vendor's reports, newest first")
    .argument("<slug>", "the vendor")
    .option("--limit <count>", "maximum number of reports", parseLimit(1_000), 10)
    .option("--json", "print JSON")
    .action(async (slug: string, { limit, json }: { limit: number; json?: boolean }) => {
      const reports = await withDatabase((database) => findVendorReports({ database }, { slug, limit }));
      if (json) writeJson(io, reports);
      else if (reports.length === 0)
        io.stdout.write(`No reports yet. Write them: ${commandLine("intelligence run")}\n`);
      else for (const report of reports) io.stdout.write(reportLines(report));
    });
}
