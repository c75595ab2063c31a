import { type Command, Option } from "commander";
import { printable } from "#lib/platform/printable";
import { WorkerError } from "#lib/platform/run-worker";
import { reportTexts, type TextReport } from "#lib/tracking/intelligence/report-texts";
import { OpenApiError } from "#lib/tracking/operations/index";
import { parseDomain } from "../arguments";
import { CommandFailure, misused } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { readText } from "./score";

const help = `
Says what the change between two versions of a page, llms.txt or OpenAPI document means to its readers, by the rules that
write the reports on vendors: a significance from 1 (formatting) to 5 (an API breaks), categories, a summary, quotes and the
values that differ. Of two OpenAPI documents, the operations are compared. Needs no server and no database. Each text has at
most 10 MiB. --domain is for the security score alone.

Examples:
  tapedeck report llms.old.txt llms.txt
  git show HEAD~1:docs/pricing.md | tapedeck report - docs/pricing.md --json

Exit codes: 0 the change was reported, or is less than --fail-from; 1 its significance is at least --fail-from; 2 wrong usage,
or a text that cannot be read.`;

async function reportOn(texts: Parameters<typeof reportTexts>[0]): Promise<TextReport> {
  try {
    return await reportTexts(texts);
  } catch (error) {
    if (!(error instanceof OpenApiError || error instanceof WorkerError)) throw error;
    throw new CommandFailure(`The OpenAPI documents cannot be compared: ${error.message}.`, misused);
  }
}

function linesOf({ significance, categories, summary, key_quotes: quotes, facts }: TextReport): string[] {
  return [
    `significance ${significance} of 5: ${categories.join(", ")}`,
    summary,
    ...(facts.length > 0 ? ["facts:", ...facts.map((fact) => `  ${fact}`)] : []),
    ...(quotes.length > 0 ? ["quotes:", ...quotes.map((quote) => `  > ${quote}`)] : []),
  ];
}

type Options = { domain?: string; json?: boolean; failFrom?: string };

export function addReportCommand(program: Command, io: CommandIo): void {
  program
    .command("report")
    .description("print what the change between two versions of a text means")
    .argument("<before>", "the older text, or - for standard input")
    .argument("<after>", "the newer text, or - for standard input")
    .option("--domain <domain>", "the domain that the texts belong to", parseDomain)
    .addOption(
      new Option("--fail-from <significance>", "end with 1 from this significance on").choices([
        "1",
        "2",
        "3",
        "4",
        "5",
      ]),
    )
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (before: string, after: string, { domain = "", json, failFrom }: Options) => {
      if (before === "-" && after === "-")
        throw new CommandFailure(
          "Only one of the texts can be standard input: name a file for the other one.",
          misused,
        );
      const report = await reportOn({ before: await readText(before), after: await readText(after), domain });
      if (json) writeJson(io, report);
      else io.stdout.write(`${linesOf(report).map(printable).join("\n")}\n`);
      if (failFrom !== undefined && report.significance >= Number(failFrom))
        throw new CommandFailure(`The significance is ${report.significance}, at least ${failFrom}.`);
    });
}
