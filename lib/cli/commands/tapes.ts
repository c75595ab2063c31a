import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { commandLine } from "#lib/platform/command-line";
import { formatCount } from "#lib/platform/format-count";
import type { JsonDifference } from "#lib/platform/json-difference";
import { isWithin } from "#lib/platform/json-pointer";
import { printable } from "#lib/platform/printable";
import type { MatchAnswer } from "#lib/replay/playback/index";
import {
  countUnanswered,
  defaultTest,
  describeAll,
  isFileContent,
  type LastRun,
  listAbandoned,
  listTapeFolders,
  notRecorded,
  readLastRun,
  removeTape,
  runAllFlags,
  type SessionReport,
  Tape,
} from "#lib/replay/recording-proxy/index";
import { CommandFailure, failed, misused } from "../failure";
import type { CommandIo } from "../io";
import { runWithTapes } from "../run-with-tapes";
import { explainingTapes, readTapeConfig, requireTapes } from "../tape-folders";

/** Returns the last run in this folder. Throws TapeError, and CommandFailure if there was none. */
async function requireLastRun(): Promise<LastRun> {
  const run = await readLastRun(process.cwd());
  if (run) return run;
  throw new CommandFailure(`There was no run in this folder. Start one: ${commandLine("run -- <command>")}`, misused);
}

type WhyFlags = { request?: string; path: string; cassette?: string; url: string };

/** Prints which cassette a running server plays for a request, and the nearest ones with their differences. Throws CommandFailure. */
async function explainRequest(file: string, { path, cassette, url }: WhyFlags, io: CommandIo): Promise<void> {
  if (!URL.canParse(url)) throw new CommandFailure(`--url ${url} is not a URL.`, misused);
  const body = await readFile(file, "utf8")
    .then((text) => JSON.parse(text) as unknown)
    .catch(({ message }: Error) => {
      throw new CommandFailure(`--request ${file}: ${message}.`, misused);
    });
  const headers = cassette === undefined ? {} : { "x-replay-cassette": cassette };
  const response = await fetch(new URL("/api/v1/match", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ path, headers, body }),
  }).catch(() => {
    throw new CommandFailure(`${url} does not answer. Start the server, or name its address with --url.`);
  });
  const answer = await response.json().catch(() => ({ error: `status ${response.status}` }));
  if (!response.ok) throw new CommandFailure(`${url}: ${answer.error}`);
  const { cassette: id, match, error, nearest } = answer as MatchAnswer;
  const lines = [
    id === null ? `${error?.status}: ${error?.message}` : `${id} is played (${match}).`,
    ...nearest.flatMap(({ id: near, difference_count: count, differences }) => [
      `${near}: ${count === 0 ? "exactly this request" : `${count} ${count === 1 ? "difference" : "differences"}`}`,
      ...differences.map((difference) => `  ${difference}`),
    ]),
  ];
  for (const line of lines) io.stdout.write(`${printable(line)}\n`);
  if (id === null) throw new CommandFailure("No cassette is played for this request.");
}

async function why(flags: WhyFlags, io: CommandIo): Promise<void> {
  if (flags.request !== undefined) return explainRequest(flags.request, flags, io);
  const { hasPassed, reports, unopened = [] } = await requireLastRun();
  if (!hasPassed && reports.length === 0)
    io.stdout.write("The last run made no request, was killed, or is not over.\n");
  else if (reports.every(({ misses }) => misses.length === 0)) io.stdout.write("The last run had no misses.\n");
  for (const line of describeAll([...reports, ...unopened])) io.stdout.write(`${printable(line)}\n`);
}

export function addWhyCommand(program: Command, io: CommandIo): void {
  program
    .command("why")
    .description(
      "explain the last run: each miss, how to record it, every difference of requests from recordings, and what was unused",
    )
    .option("--request <file>", "instead: which cassette a running server plays for this JSON body")
    .option("--path <path>", "path of the request", "/v1/messages")
    .option("--cassette <id>", "the cassette that the request names")
    .option("--url <url>", "the server", "http://127.0.0.1:3000")
    .action((flags: WhyFlags) => explainingTapes(() => why(flags, io)));
}

/** Places of prompts. If all of one is volatile, any prompt matches. */
const promptPattern =
  /^\/(?:system|messages|input|instructions|prompt|contents|systemInstruction|system_instruction)(?:\/|$)/;

/** Returns the differences of each request that may match without some of its fields: one that was recorded may not. */
function missedDifferences(reports: readonly SessionReport[]): JsonDifference[][] {
  const unknown = reports.flatMap(({ misses }) => misses.filter(({ reason }) => reason === notRecorded));
  return unknown.flatMap(({ nearest }) => (nearest ? [nearest.differences] : []));
}

/** Returns those of some fields without which a request is that of its nearest recording. */
function findHelpful(fields: readonly string[], reports: readonly SessionReport[]): string[] {
  const isCovered = ({ pointer }: JsonDifference) => fields.some((field) => isWithin(pointer, field));
  const solved = missedDifferences(reports).filter((differences) => differences.every(isCovered));
  return fields.filter((field) => solved.flat().some(({ pointer }) => isWithin(pointer, field)));
}

/** Returns the pointers whose values differ from run to run. Places that differ only in a position become one, with `*`. */
function proposePointers(reports: readonly SessionReport[]): string[] {
  const pointers = missedDifferences(reports)
    .flat()
    .filter(({ pointer, before, after }) => pointer !== "" && before !== undefined && after !== undefined)
    .map(({ pointer }) => pointer);
  const patternOf = (pointer: string) => pointer.replace(/\/\d+(?=\/|$)/g, "/*");
  const proposals = pointers.map((pointer) => {
    const isRepeated = pointers.some((other) => other !== pointer && patternOf(other) === patternOf(pointer));
    return isRepeated ? patternOf(pointer) : pointer;
  });
  return [...new Set(proposals)].sort();
}

const fieldAdvice = `These fields differ from the recordings. Add those to tapedeck.config.json that change from run to run
and do not change the answer:`;
const promptAdvice = `These places are part of a prompt. Make it constant in tests, such as with a fixed clock, or describe what changes in volatile_text;
if such a place is declared as volatile, any prompt matches there:`;

const fileAdvice =
  "These files differ from the recordings, whose answers are those to other files. Record them with --mode record:";

const uselessAdvice = `These fields differ too, but without them alone no request matches a recording:`;

/** Runs a command on its tapes again, and prints the fields that differ from run to run. Throws CommandFailure if any does. */
export async function proposeFields(command: string[], tapes: string | undefined, io: CommandIo): Promise<void> {
  await requireTapes((await explainingTapes(() => readTapeConfig(tapes), misused)).tapes);
  const { exitCode, reports } = await runWithTapes(command, { mode: "replay", tapes }, io);
  const pointers = proposePointers(reports);
  const prompts = pointers.filter((pointer) => promptPattern.test(pointer));
  const files = pointers.filter(isFileContent);
  const others = pointers.filter((pointer) => !promptPattern.test(pointer) && !isFileContent(pointer));
  const fields = findHelpful(others, reports);
  const useless = others.filter((pointer) => !fields.includes(pointer));
  if (fields.length > 0) io.stdout.write(`${fieldAdvice}\n${JSON.stringify({ volatile: fields }, null, 2)}\n`);
  if (prompts.length > 0) io.stdout.write(`${promptAdvice}\n${prompts.map((each) => `  ${each}\n`).join("")}`);
  if (files.length > 0) io.stdout.write(`${fileAdvice}\n${files.map((each) => `  ${each}\n`).join("")}`);
  if (useless.length > 0) io.stdout.write(`${uselessAdvice}\n${useless.map((each) => `  ${each}\n`).join("")}`);
  if (pointers.length > 0) throw new CommandFailure("Some requests differ from their recordings.");
  const isRecorded = countUnanswered(reports) === 0 && reports.some(({ requests }) => requests > 0);
  if (isRecorded) io.stdout.write("Every request was recorded.\n");
  if (exitCode !== 0 || !isRecorded) {
    throw new CommandFailure(`Nothing to propose. The command ended with ${exitCode}.`, exitCode || failed);
  }
}

/** The command of the package for test suites; an installation has another one, which takes a command too. */
export function addDoctorCommand(program: Command, io: CommandIo): void {
  program
    .command("doctor")
    .description("run a command on its tapes again, and propose the fields that differ from run to run")
    .argument("<command...>", "the command, after --")
    .option("--tapes <dir>", "folder of the tapes")
    .action((command: string[], { tapes }: { tapes?: string }) => proposeFields(command, tapes, io));
}

type Unused = { tape: Tape; files: string[] };

/** Opens the tapes of a run that have recordings which it did not use. Throws TapeError if one is not below the folder. */
async function findUnused(reports: readonly SessionReport[], root: string): Promise<Unused[]> {
  const found: Unused[] = [];
  for (const { folder, test, unused } of reports) {
    if (unused.length === 0) continue;
    const tape = await Tape.open({ root, folder: resolve(folder) }, test);
    const files = tape.exchanges.map(({ file }) => file).filter((file) => unused.includes(file));
    if (files.length > 0) found.push({ tape, files });
  }
  return found;
}

/** Opens the tapes that have errors which a later answer to the same request followed, as after a retry. Throws TapeError. */
async function findRetried(root: string, volatile: readonly string[]): Promise<Unused[]> {
  const found: Unused[] = [];
  for (const folder of await listTapeFolders(root)) {
    const tape = await Tape.open({ root, folder }, null, volatile);
    const retried = tape.exchanges.filter(
      ({ isError, provider, key }, index) =>
        isError &&
        tape.exchanges
          .slice(index + 1)
          .some((later) => !later.isError && later.provider === provider && later.key === key),
    );
    if (retried.length > 0) found.push({ tape, files: retried.map(({ file }) => file) });
  }
  return found;
}

type PruneFlags = { all?: boolean; dryRun?: boolean; errors?: boolean; force?: boolean; tapes?: string };

/** Lists files of tapes, and removes them. */
async function removeFiles(found: readonly Unused[], word: string, isForced: boolean, io: CommandIo): Promise<void> {
  for (const { tape, files } of found) {
    if (isForced) await tape.remove(new Set(files));
    for (const file of files)
      io.stdout.write(`${isForced ? "removed" : word}  ${printable(`${tape.test}: ${file}`)}\n`);
  }
}

async function pruneErrors({ dryRun = false, force = false, tapes }: PruneFlags, io: CommandIo): Promise<void> {
  const { tapes: root, volatile } = await readTapeConfig(tapes);
  await requireTapes(root);
  const found = await findRetried(root, volatile);
  await removeFiles(found, "retried", force && !dryRun, io);
  if (found.length === 0) io.stdout.write("No tape has an error that a later answer to the same request followed.\n");
  else if (!force || dryRun)
    io.stdout.write(`Nothing was removed. To remove what is listed: ${commandLine("prune --errors --force")}\n`);
}

const inconclusive = "the last run failed or was killed, missed a recording, made no request or was live";
const runAll = () => commandLine("run --complete -- <command>");

async function prune({ all = false, dryRun = false, force = false, tapes }: PruneFlags, io: CommandIo): Promise<void> {
  const { hasPassed, isComplete = false, taskRunner, tapes: used, ...run } = await requireLastRun();
  if (all && !isComplete)
    throw new CommandFailure(`--all needs a run of all tests with --complete that passed: ${runAll()}`, misused);
  const unopened = isComplete ? (run.unopened ?? []).filter(({ unused }) => unused.length > 0) : [];
  const reports = all ? [...run.reports, ...unopened] : run.reports;
  const { tapes: root } = await readTapeConfig(tapes ?? used);
  if (used !== undefined && root !== used)
    throw new CommandFailure(`The last run used the tapes in ${used}, not those in ${root}.`, misused);
  // All are opened before anything is removed.
  const isKnown = ({ test }: SessionReport) => all || test !== defaultTest;
  const found = await findUnused(reports.filter(isKnown), root);
  const isForced = force && !dryRun;
  await removeFiles(found, "unused", isForced, io);
  const abandoned = await listAbandoned(root, { recursive: true });
  for (const path of abandoned) {
    if (isForced) await removeTape(path, root);
    io.stdout.write(`${isForced ? "removed" : "unfinished"}  ${printable(path)}\n`);
  }
  const why = taskRunner
    ? `${taskRunner} may have answered tasks from its cache. Run all with its ${runAllFlags[taskRunner]}, until they pass`
    : `${inconclusive}. Run all tests until they pass`;
  if (!hasPassed && found.length === 0)
    throw new CommandFailure(`Which recordings are unused is not known: ${why}: ${runAll()}`);
  if (!(hasPassed || dryRun || force))
    throw new CommandFailure(`What is listed may still be needed: ${why} (${runAll()}), or use --force.`);
  const ifAll = `If the last run was of all tests: ${commandLine("prune --all")}`;
  const shared = reports.filter((report) => !isKnown(report) && report.unused.length > 0);
  for (const { test, unused } of shared) {
    const advice = isComplete ? ifAll : `To know: ${runAll()}`;
    io.stdout.write(`kept  ${test}: ${unused.length}, which tests that did not run may use. ${advice}\n`);
  }
  const kept = all ? 0 : unopened.length;
  if (kept > 0) io.stdout.write(`not opened by the last run: ${formatCount(kept, "tape")}. ${ifAll}\n`);
  if (found.length + abandoned.length > 0) {
    const again = commandLine(all ? "prune --all --force" : "prune --force");
    if (!isForced) io.stdout.write(`Nothing was removed. To remove what is listed: ${again}\n`);
  } else if (shared.length + kept === 0) {
    const opened = `The last run used every recording of the tapes that it opened. To check all tapes: ${runAll()}`;
    io.stdout.write(`${isComplete ? "The last run used every recording of all tapes." : opened}\n`);
  }
}

export function addPruneCommand(program: Command, io: CommandIo): void {
  program
    .command("prune")
    .description("list what the last run did not use of the tapes that it opened")
    .option("--all", "also of tapes that it did not open: needs a run --complete of all tests that passed")
    .option("--force", "remove it, also if the last run failed, missed a recording or made no request")
    .option("--errors", "instead: errors that a later answer to the same request followed, on all tapes")
    .option("--dry-run", "only list it, also after a run that failed")
    .option("--tapes <dir>", "folder of the tapes (default: tapes, or that of tapedeck.config.json)")
    .action((flags: PruneFlags) => explainingTapes(() => (flags.errors ? pruneErrors : prune)(flags, io)));
}
