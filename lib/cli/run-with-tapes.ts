import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { dirname, relative, resolve } from "node:path";
import { bundledModels, type ModelCatalogue } from "#lib/models/index";
import { commandFor } from "#lib/platform/command-line";
import { childEnvironment, isCi } from "#lib/platform/config";
import { formatCount } from "#lib/platform/format-count";
import { printable } from "#lib/platform/printable";
import type { RunNotes } from "#lib/replay/interception/index";
import {
  configFileName,
  countMissed,
  countUnanswered,
  countUnused,
  describeOutside,
  describePassedPorts,
  describeReports,
  findUnusedTapes,
  type LastRun,
  type Matching,
  type Mode,
  type ProxyOptions,
  RecordingProxy,
  readLocalHosts,
  type SessionReport,
  type TapeConfig,
  writeLastRun,
} from "#lib/replay/recording-proxy/index";
import { findAffected, pairReplaced, readBefore } from "./answers/affected";
import { sumText } from "./answers/answer-summary";
import { pairColumns, pairLines, pairRows } from "./answers/recorded-answers";
import { CommandFailure, misused } from "./failure";
import type { CommandIo } from "./io";
import { environmentFor, warnOfExcluded, warnOfProxy } from "./run-environment";
import { junitText } from "./run-report/junit";
import { markdownTable } from "./run-report/markdown";
import { describeModels, missAnnotations, summaryMarkdown } from "./run-report/run-summary";
import { summarizeModels } from "./run-report/summarize-models";
import { withStopSignal } from "./stop-signal";
import { explainingTapes, readTapeConfig, requireTapes } from "./tape-folders";

export type ProxyFlags = {
  mode?: Mode;
  tapes?: string;
  exact?: boolean;
  match?: Matching;
  repeat?: boolean;
  port?: number;
  hosts?: string[];
  strict?: boolean;
};
export type RunFlags = ProxyFlags & {
  complete?: boolean;
  junit?: string;
  report?: string;
  /** In mode `record`: only the tapes of models that have ended or will, or that `model` names. */
  affected?: boolean;
  model?: string[];
  /** In mode `record`: also the tapes of tests that fail. */
  keepFailed?: boolean;
  /** Days. */
  maxAge?: number;
};

type Affected = {
  root: string;
  catalogue: ModelCatalogue;
  before: Awaited<ReturnType<typeof readBefore>>;
  folders: ReadonlySet<string>;
};

/** Returns the mode of a run: that of the command line, else the default. */
export function modeOf({ mode }: ProxyFlags): Mode {
  return mode ?? (isCi() ? "replay" : "auto");
}

/** Returns the configuration of the folder with what the command line changes. Throws CommandFailure. */
async function readFlaggedConfig({ tapes, exact, match, repeat, hosts = [], maxAge }: RunFlags): Promise<TapeConfig> {
  const config = await explainingTapes(() => readTapeConfig(tapes), misused);
  return {
    ...config,
    exact: exact ?? config.exact,
    match: match ?? config.match,
    repeat: repeat ?? config.repeat,
    hosts: [...config.hosts, ...hosts],
    max_age: maxAge ?? config.max_age,
  };
}

/** Starts a proxy, for a command if one is given, and names a configuration that is further up. Throws CommandFailure. */
export async function startProxy(
  { strict = false, port, keepFailed, ...flags }: RunFlags,
  io: CommandIo,
  { command, recordedAgain }: Pick<ProxyOptions, "recordedAgain"> & { command?: readonly string[] } = {},
): Promise<RecordingProxy> {
  const config = await readFlaggedConfig(flags);
  const file = config.file && relative(process.cwd(), config.file);
  if (file && file !== configFileName) {
    const unused = await findUnusedTapes(config.tapes);
    // Not --tapes: a run here names tests by their paths from here.
    const hint = unused ? ` Its tapes in ${unused.tapes} are not used here; a run in ${unused.project} uses them.` : "";
    io.stderr.write(`tapedeck: The configuration is ${file}.${hint}\n`);
  }
  const { tapes, exact, match, repeat, hosts } = flags;
  const options = {
    config,
    isStrict: strict,
    mode: modeOf(flags),
    environment: childEnvironment(),
    port,
    recordedAgain,
    keepsFailed: keepFailed,
    recordCommand: commandFor("run", { mode: "auto", tapes, hosts: hosts?.join(), match, exact, repeat }, command),
    localHosts: modeOf(flags) === "live" ? [] : await readLocalHosts(config.tapes),
    warn: (text: string) => void io.stderr.write(`tapedeck: ${text}\n`),
  };
  return explainingTapes(() => RecordingProxy.start(options), misused).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EADDRINUSE" ? new CommandFailure(`Port ${port} is in use. Choose another --port.`) : error;
  });
}

/** The answers on the tapes that a run records again, by their folders; undefined if it is not limited to some. */
async function readAffected(flags: RunFlags): Promise<Affected | undefined> {
  if (!flags.affected) return undefined;
  const { tapes: root } = await readFlaggedConfig(flags);
  await requireTapes(root);
  const catalogue = bundledModels(new Date());
  const before = await readBefore(findAffected(root, flags.model ?? [], catalogue), root, catalogue);
  return { root, catalogue, before, folders: new Set(before.keys()) };
}

/** Runs a command in the foreground and returns its exit code, and whether it was stopped. Signals are passed on. */
async function runChild([program = "", ...args]: string[], environment: NodeJS.ProcessEnv) {
  const child = spawn(program, args, { stdio: "inherit", env: environment, shell: process.platform === "win32" });
  const failed = new Promise<never>((_resolve, reject) =>
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new CommandFailure(`${program} cannot be run: ${error.code === "ENOENT" ? "not found" : error.message}.`, 127),
      ),
    ),
  );
  return withStopSignal(async (signal) => {
    signal.addEventListener("abort", () => child.kill("SIGTERM"));
    const [code, signalName] = await Promise.race([once(child, "exit"), failed]);
    const exitCode = (code as number | null) ?? 128 + (constants.signals[signalName as NodeJS.Signals] ?? 0);
    return { exitCode, isStopped: signal.aborted };
  });
}

/** Prints the answers of the tapes that were recorded again, and returns them in Markdown. */
async function describeReplaced(
  { before, root, catalogue }: Affected,
  reports: readonly SessionReport[],
  io: CommandIo,
) {
  const pairs = await pairReplaced(before, reports, root, catalogue);
  const tapes = new Set(pairs.map(({ test }) => test)).size;
  const heading = `tapedeck: ${formatCount(tapes, "tape")} of ${before.size} recorded again, ${sumText(pairs)}`;
  for (const line of [heading, ...pairLines(pairs)]) io.stdout.write(`${printable(line)}\n`);
  return pairs.length === 0 ? "" : `${heading}\n\n${markdownTable(pairColumns, pairRows(pairs)).join("\n")}\n`;
}

async function writeReport(path: string, text: string): Promise<void> {
  await mkdir(dirname(resolve(path)), { recursive: true });
  await writeFile(path, text);
}

const unknownRun: LastRun = { hasPassed: false, reports: [] };

/** Writes what `merge-runs` joins. */
const writeRun = (path: string, run: LastRun) => writeReport(path, `${JSON.stringify(run, null, 2)}\n`);

/** Writes what the calls of a run came to: to the terminal, to the summary of a GitHub job, and to a file for other tools. */
async function writeReports(
  { opened, unopened }: { opened: readonly SessionReport[]; unopened: readonly SessionReport[] },
  { flags, affected, exitCode, notes }: Finish,
  proxy: RecordingProxy,
  io: CommandIo,
): Promise<void> {
  const now = new Date();
  const catalogue = bundledModels(now);
  const reports = [...opened, ...unopened];
  const models = summarizeModels(reports, catalogue, now);
  const [counts = "", ...lines] = describeReports(reports, {
    exitCode,
    taskRunner: notes?.taskRunner,
    hosts: proxy.namedHosts,
    isUpstream: (host) => proxy.hasUpstream(host),
  });
  for (const line of [counts, ...describeModels(models), ...lines]) io.stderr.write(`${line}\n`);
  const replaced = affected ? await describeReplaced(affected, reports, io) : "";
  const { GITHUB_ACTIONS: isGithub, GITHUB_STEP_SUMMARY: summary } = childEnvironment();
  for (const line of isGithub ? missAnnotations(reports) : []) io.stderr.write(`${line}\n`);
  if (summary) await appendFile(summary, summaryMarkdown(counts, models, lines) + replaced);
  const { junit, complete: isComplete = false } = flags;
  if (junit === undefined) return;
  await writeReport(junit, junitText(reports, { catalogue, now, unopened: new Set(unopened), isComplete }));
}

const strictRunner =
  "  turbo is in its strict mode, in which tasks make their calls without the recorder: use TURBO_ENV_MODE=loose";

const workerdAdvice =
  "  workerd was started, whose requests are not intercepted: run with --port 4141, and set OPENAI_BASE_URL=http://127.0.0.1:4141/openai/v1 in .dev.vars";

type Finish = {
  exitCode: number;
  isStopped?: boolean;
  flags: RunFlags;
  affected?: Affected | undefined;
  notes?: RunNotes;
};

export async function finish(proxy: RecordingProxy, input: Finish, io: CommandIo) {
  const { exitCode, isStopped, flags, notes } = input;
  const { complete: isComplete = false } = flags;
  const hasPassed = exitCode === 0;
  const { passedPorts = [], taskRunner, isStrict, cleanedBy = [], hasWorkerd } = notes ?? {};
  const others = isComplete || flags.strict ? await proxy.unopenedTapes() : [];
  const unopened = isComplete ? others : [];
  const opened = await proxy.stop(isStopped ? "stopped" : hasPassed ? "passed" : "failed");
  const reports: SessionReport[] = [...opened, ...unopened];
  const outside = proxy.outside();
  await writeReports({ opened, unopened }, input, proxy, io).catch((error: Error) =>
    io.stderr.write(`tapedeck: A report of the run was not written: ${error.message}.\n`),
  );
  for (const line of outside ? describeOutside(outside) : []) io.stderr.write(`${line}\n`);
  const hasRequests = opened.some(({ requests }) => requests > 0);
  if (isStrict && (!hasRequests || countUnused(reports) > 0)) io.stderr.write(`${strictRunner}\n`);
  if (modeOf(flags) !== "live") {
    for (const command of cleanedBy)
      io.stderr.write(`  started without the variables of the run: ${printable(command)}\n`);
    if (hasWorkerd && flags.port === undefined) io.stderr.write(`${workerdAdvice}\n`);
  }
  const isSound = hasPassed && hasRequests && countUnanswered(opened) + countMissed(opened) === 0;
  if (!isSound && modeOf(flags) !== "live" && passedPorts.length > 0)
    io.stderr.write(`${describePassedPorts(passedPorts)}\n`);
  const isLive = opened.some(({ passedThrough }) => passedThrough > 0);
  const cachedBy = countUnused(reports) > 0 ? taskRunner : undefined;
  const isConclusive = isSound && !isLive && cachedBy === undefined;
  // `prune --all` removes tapes that the run did not open only if it was to use everything, and passed.
  const run = {
    hasPassed: isConclusive,
    isComplete: isConclusive && isComplete,
    hasFailed:
      !hasPassed ||
      countUnanswered(opened) + countMissed(opened) > 0 ||
      opened.some(({ withheld }) => withheld > 0) ||
      isLive ||
      cachedBy !== undefined,
    taskRunner: cachedBy,
    tapes: proxy.tapes,
    reports: opened,
    unopened,
  };
  await writeLastRun(process.cwd(), run).catch(() => undefined);
  if (flags.report !== undefined) await writeRun(flags.report, run);
  const { isMatchingSet } = proxy;
  const refusedHosts = [...(outside?.refused.keys() ?? [])];
  const isUnasked = !hasRequests && countUnused([...opened, ...others]) > 0;
  return { reports, unopened, cachedBy, isMatchingSet, refusedHosts, cleanedBy, isUnasked };
}

const nothingRun: Awaited<ReturnType<typeof finish>> = {
  ...{ reports: [], unopened: [], cachedBy: undefined, isMatchingSet: false },
  ...{ refusedHosts: [], cleanedBy: [], isUnasked: false },
};

/** Runs a command with its model calls recorded or replayed. Returns what the tests came to, and the exit code. */
export async function runWithTapes(command: string[], flags: RunFlags, io: CommandIo) {
  const affected = await readAffected(flags);
  if (affected?.folders.size === 0) {
    io.stderr.write("tapedeck: No tape uses a model that has ended or is deprecated, so nothing was run.\n");
    return { exitCode: 0, ...nothingRun };
  }
  if (flags.report !== undefined) await writeRun(flags.report, unknownRun);
  const proxy = await startProxy(flags, io, { command, recordedAgain: affected?.folders });
  if (flags.port !== undefined) io.stderr.write(`tapedeck: The proxy listens at ${proxy.origin}\n`);
  warnOfProxy(modeOf(flags), io);
  warnOfExcluded(modeOf(flags), proxy, io);
  // Until the run has ended, nothing is known of it, also if it is killed.
  await writeLastRun(process.cwd(), { ...unknownRun, tapes: proxy.tapes }).catch(() => undefined);
  const environment = await environmentFor(proxy, modeOf(flags)).catch(async (error: Error) => {
    await proxy.stop("failed");
    const advice = "Set TMPDIR to a folder that can be written";
    throw new CommandFailure(`The files of the run cannot be written: ${error.message}. ${advice}.`);
  });
  try {
    const { exitCode, isStopped } = await runChild(command, environment.variables);
    const notes = await environment.readNotes();
    return { exitCode, ...(await finish(proxy, { exitCode, isStopped, flags, affected, notes }, io)) };
  } catch (error) {
    await proxy.stop("failed");
    throw error;
  } finally {
    await environment.remove();
  }
}
