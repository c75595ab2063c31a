import { relative } from "node:path";
import type { Command } from "commander";
import { commandLine } from "#lib/platform/command-line";
import { formatCount } from "#lib/platform/format-count";
import { printable } from "#lib/platform/printable";
import {
  countUnused,
  type LastRun,
  listUnopened,
  readRun,
  type SessionReport,
  writeLastRun,
} from "#lib/replay/recording-proxy/index";
import { CommandFailure } from "../failure";
import type { CommandIo } from "../io";
import { explainingTapes, readTapeConfig, requireTapes } from "../tape-folders";

/** Returns the reports of all runs by the folders of their tapes, which lack what one of the runs used. */
function joinReports(runs: readonly LastRun[], root: string): Map<string, SessionReport> {
  const joined = new Map<string, SessionReport>();
  for (const { tapes = root, reports } of runs) {
    for (const report of reports) {
      // The parts of a run may have been on other machines.
      const folder = `${root}/${relative(tapes, report.folder)}`;
      const known = joined.get(folder)?.unused ?? report.unused;
      joined.set(folder, { ...report, folder, unused: report.unused.filter((file) => known.includes(file)) });
    }
  }
  return joined;
}

/** Writes the runs as the last one, of everything, and fails if a recording was used by none. Throws CommandFailure, TapeError. */
async function mergeRuns(files: readonly string[], { tapes }: { tapes?: string }, io: CommandIo): Promise<void> {
  const { tapes: root } = await readTapeConfig(tapes);
  await requireTapes(root);
  const runs = await Promise.all(files.map(readRun));
  const broken = files.filter((_file, index) => runs[index]?.hasFailed ?? true);
  if (broken.length > 0)
    throw new CommandFailure(`These runs failed, missed a recording, were live or cached: ${broken.join(", ")}.`);
  const joined = joinReports(runs, root);
  const reports = [...joined.values()];
  const unopened = await listUnopened(root, (folder) => joined.has(folder));
  await writeLastRun(process.cwd(), { hasPassed: true, isComplete: true, tapes: root, reports, unopened });
  const unused = [...reports, ...unopened];
  for (const { test, unused: files } of unused)
    for (const file of files) io.stdout.write(`unused  ${printable(`${test}: ${file}`)}\n`);
  const count = countUnused(unused);
  const parts = formatCount(runs.length, "run");
  if (count === 0) return void io.stdout.write(`Every recording was used by one of ${parts}.\n`);
  const advice = `If these are all parts, ${commandLine("prune --all --force")} removes them`;
  throw new CommandFailure(`Recordings that none of ${parts} used: ${count}. ${advice}.`);
}

export function addMergeRunsCommand(program: Command, io: CommandIo): void {
  program
    .command("merge-runs")
    .description("join the reports of a run's parts, such as shards, and fail if a recording was used by none")
    .argument("<files...>", "what run --report wrote, of each part")
    .option("--tapes <dir>", "folder of the tapes (default: tapes, or that of tapedeck.config.json)")
    .action((files: string[], flags: { tapes?: string }) => explainingTapes(() => mergeRuns(files, flags, io)));
}
