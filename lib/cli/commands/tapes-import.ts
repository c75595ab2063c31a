import { Argument, type Command, InvalidArgumentError } from "commander";
import { childEnvironment } from "#lib/platform/config";
import {
  describeRedactions,
  type ImportReport,
  type ImportTool,
  importTapes,
  importTools,
} from "#lib/replay/recording-proxy/index";
import { CommandFailure, misused } from "../failure";
import { serverCommand } from "../help-style";
import type { CommandIo } from "../io";
import { explainingTapes, readTapeConfig } from "../tape-folders";

type Flags = { tapes?: string; test?: string; dryRun?: boolean };

const help = `
Tools:
  vcr     cassettes of vcrpy, pytest-recording, VCR for Ruby and go-vcr, in YAML or JSON
  har     HAR files, saved with content
  aimock  says why aimock's fixtures have to be recorded again

Each file becomes a tape with its name. A cassette at <folder>/cassettes/<module>/<test>.yaml, as of pytest-recording, becomes
the tape of that test. A request that is already on the tape is not imported again. Nothing of a tape is overwritten.

Examples:
  tapedeck import vcr tests/cassettes
  tapedeck import har session.har --test "tests/trip.test.ts > books a trip"

Exit codes: 0 all files were read, 1 a file or a part of one could not be read (the others were), 2 wrong usage.`;

function count(reports: readonly ImportReport[], of: (report: ImportReport) => number): number {
  return reports.reduce((sum, report) => sum + of(report), 0);
}

function describe(reports: readonly ImportReport[], isDryRun: boolean): string[] {
  const read = reports.filter(
    ({ problems, imported, known, leftOut }) => problems.length === 0 || imported + known + leftOut > 0,
  );
  const counts = [
    `${count(reports, ({ imported }) => imported)} ${isDryRun ? "would be imported" : "imported"}`,
    `${count(reports, ({ known }) => known)} already recorded`,
    `${count(reports, ({ leftOut }) => leftOut)} left out`,
  ];
  const undated = count(reports, (report) => report.undated);
  return [
    ...read.map(({ file, test, imported }) => `${file}: ${imported} for the tape "${test}"`),
    ...reports.flatMap(({ file, notes }) => notes.map((note) => `  ${file}: ${note}`)),
    ...(read.length > 0 ? [`tapedeck: ${counts.join(", ")}`] : []),
    ...(undated > 0 ? [`tapedeck: ${undated} of unknown date, which audit takes for older than any change`] : []),
    ...describeRedactions(reports),
  ];
}

export function addTapeImportCommand(program: Command, io: CommandIo): void {
  const parseTool = (text: string): string => {
    if (importTools.some((tool) => tool === text)) return text;
    const others = serverCommand(program, "cassettes", "import");
    throw new InvalidArgumentError(
      `Allowed choices are ${importTools.join(", ")}. A single answer, such as a raw event stream, becomes a cassette: ${others}`,
    );
  };
  program
    .command("import")
    .description("make tapes from the recordings of another tool")
    .addArgument(new Argument("<tool>", "the tool").choices([...importTools]).argParser(parseTool))
    .argument("<paths...>", "its files, or folders with them")
    .option("--tapes <dir>", "folder of the tapes (default: tapes, or that of tapedeck.config.json)")
    .option("--test <name>", "name of the test whose tape all files become")
    .option("--dry-run", "only say what would be imported")
    .addHelpText("after", help)
    .action(async (tool: ImportTool, paths: string[], { tapes, test, dryRun = false }: Flags) => {
      const reports = await importTapes({
        tool,
        paths,
        test,
        isDryRun: dryRun,
        project: process.cwd(),
        environment: childEnvironment(),
        now: () => new Date(),
        config: await explainingTapes(() => readTapeConfig(tapes), misused),
      });
      for (const line of describe(reports, dryRun)) io.stdout.write(`${line}\n`);
      const problems = reports.flatMap((report) => report.problems);
      if (problems.length > 0) throw new CommandFailure(problems.map((problem) => `${problem}.`).join("\n"));
    });
}
