import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { childEnvironment } from "#lib/platform/config";
import { interceptedEnvironment } from "#lib/replay/interception/index";
import {
  clientEnvironment,
  countUnanswered,
  describeOutside,
  describeReports,
  type Matching,
  type Mode,
  matchings,
  modes,
  placeholderKeys,
  RecordingProxy,
  readConfig,
  type SessionReport,
  TapeError,
  writeLastRun,
} from "#lib/replay/recording-proxy/index";
import { describeEndingModels } from "../audit/run-models";
import { CommandFailure, misused } from "../failure";
import type { CommandIo } from "../io";
import { withStopSignal } from "../stop-signal";

type ProxyFlags = {
  mode?: Mode;
  tapes?: string;
  exact?: boolean;
  match?: Matching;
  port?: number;
  hosts?: string[];
  strict?: boolean;
};
type RunFlags = ProxyFlags & { complete?: boolean };

const help = `
Modes:
  auto    plays what is recorded, and records what is not (default)
  replay  plays only, and opens no connection (default where CI is set)
  record  records everything again; a test's tape is replaced when the test, or the command, has passed
  live    passes everything through and records nothing

Requests to the hosts of model providers are intercepted, whatever the client: the command's processes get the address of a
proxy, and trust a certificate that exists for this run only. Providers without an API key get a placeholder, except in mode
live. The exit code is that of the command. If that is 0, it is 1 in mode replay, or with --complete, if no recording answered a
request; with --complete also if a recording was not used; and if an answer was not stored because it may have a secret.

Examples:
  tapedeck run -- npm test
  tapedeck run --mode replay --complete -- pytest -n 4`;

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("must be a port number.");
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter(Boolean);
}

/** Adds the options that both commands have. */
function withProxyOptions(command: Command): Command {
  return command
    .addOption(new Option("--mode <mode>", "what to do (default: auto; replay where CI is set)").choices([...modes]))
    .option("--tapes <dir>", "folder of the tapes (default: tapes, or that of tapedeck.config.json)")
    .addOption(new Option("--exact", "match only requests that are exactly equal").conflicts("match"))
    .addOption(
      new Option("--match <what>", "order: play by method, URL and order, and list what differs").choices([
        ...matchings,
      ]),
    )
    .option("--port <number>", "port of the proxy (default: a free one)", parsePort);
}

/** Returns the mode of a run: that of the command line, else the default. */
function modeOf({ mode }: ProxyFlags): Mode {
  return mode ?? (childEnvironment().CI ? "replay" : "auto");
}

async function startProxy({
  tapes,
  exact,
  match,
  port,
  hosts = [],
  strict = false,
  ...flags
}: ProxyFlags): Promise<RecordingProxy> {
  const environment = childEnvironment();
  const config = await readConfig(process.cwd()).catch((error) => {
    throw error instanceof TapeError ? new CommandFailure(`${error.message}.`, misused) : error;
  });
  return RecordingProxy.start({
    config: {
      ...config,
      tapes: tapes === undefined ? config.tapes : resolve(tapes),
      exact: exact ?? config.exact,
      match: match ?? config.match,
      hosts: [...config.hosts, ...hosts],
    },
    isStrict: strict,
    mode: modeOf(flags),
    environment,
    port,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof TapeError) throw new CommandFailure(`${error.message}.`, misused);
    throw error.code === "EADDRINUSE" ? new CommandFailure(`Port ${port} is in use. Choose another --port.`) : error;
  });
}

/** Returns the environment that sends the requests of a command to the proxy. */
async function environmentFor(proxy: RecordingProxy, mode: Mode) {
  const environment = childEnvironment();
  const { origin, hosts } = proxy;
  const intercepted = await interceptedEnvironment(environment, {
    origin,
    baseUrls: clientEnvironment(origin),
    hosts,
    certificate: proxy.certificate,
  });
  const variables: NodeJS.ProcessEnv = {
    ...environment,
    ...intercepted.variables,
    ...(mode === "live" ? {} : placeholderKeys(environment)),
    TAPEDECK_PROXY: proxy.origin,
    TAPEDECK_TOKEN: proxy.token,
  };
  return { variables, remove: intercepted.remove };
}

/** Variables that name a proxy of the user's. */
const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** Says that a proxy of the user's is not asked: what is recorded comes from the providers directly. */
function warnOfProxy(mode: Mode, io: CommandIo): void {
  const environment = childEnvironment();
  const names = proxyVariables.filter((name) => environment[name]);
  if (mode === "replay" || names.length === 0) return;
  io.stderr.write(
    `tapedeck: The proxy in ${names.join(", ")} is not used: the command gets the recording proxy in its place, which asks servers directly.\n`,
  );
}

/** Runs a command in the foreground and returns its exit code. Signals are passed on. */
async function runChild([program = "", ...args]: string[], environment: NodeJS.ProcessEnv): Promise<number> {
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
    return (code as number | null) ?? 128 + (constants.signals[signalName as NodeJS.Signals] ?? 0);
  });
}

async function finish(proxy: RecordingProxy, hasPassed: boolean, isComplete: boolean, io: CommandIo) {
  const unopened = isComplete ? await proxy.unopenedTapes() : [];
  const opened = await proxy.stop(hasPassed);
  const reports: SessionReport[] = [...opened, ...unopened];
  const outside = proxy.outside();
  const lines = [
    ...describeReports(reports),
    ...describeEndingModels(opened, new Date()),
    ...(outside ? describeOutside(outside) : []),
  ];
  for (const line of lines) io.stderr.write(`${line}\n`);
  const hasRequests = opened.some(({ requests }) => requests > 0);
  const isLive = opened.some(({ passedThrough }) => passedThrough > 0);
  const isConclusive = hasPassed && hasRequests && !isLive && countUnanswered(opened) === 0;
  // Tapes that the run did not open are removed only if it ran everything, and well.
  const run = {
    hasPassed: isConclusive,
    isComplete: isConclusive && isComplete,
    reports: isConclusive ? reports : opened,
  };
  await writeLastRun(process.cwd(), run).catch(() => undefined);
  return { reports, refusedHosts: [...(outside?.refused.keys() ?? [])] };
}

/** Runs a command with its model calls recorded or replayed. Returns what the tests came to, and the exit code. */
export async function runWithTapes(command: string[], { complete = false, ...flags }: RunFlags, io: CommandIo) {
  const proxy = await startProxy(flags);
  warnOfProxy(modeOf(flags), io);
  // Until the run has ended, nothing is known of it, also if it is killed.
  await writeLastRun(process.cwd(), { hasPassed: false, reports: [] }).catch(() => undefined);
  const environment = await environmentFor(proxy, modeOf(flags));
  try {
    const exitCode = await runChild(command, environment.variables);
    return { exitCode, ...(await finish(proxy, exitCode === 0, complete, io)) };
  } catch (error) {
    await proxy.stop(false);
    throw error;
  } finally {
    await environment.remove();
  }
}

export function addRunCommand(program: Command, io: CommandIo): void {
  withProxyOptions(program.command("run"))
    .description("run a command, such as a test suite, with its model calls recorded once and then replayed")
    .argument("<command...>", "the command, after --")
    .option("--hosts <names>", "further hosts to record, divided by commas; * stands for any part", listOf)
    .option("--strict", "refuse requests to all hosts that are not recorded")
    .option("--complete", "fail if a recording was not used, on any tape")
    .addHelpText("after", help)
    .action(async (command: string[], flags: RunFlags) => {
      const mode = modeOf(flags);
      if (flags.complete && (mode === "live" || mode === "record"))
        throw new CommandFailure("--complete needs the mode auto or replay.", misused);
      const { exitCode, reports, refusedHosts } = await runWithTapes(command, flags, io);
      if (exitCode !== 0) throw new CommandFailure("", exitCode);
      const withheld = reports.reduce((sum, report) => sum + report.withheld, 0);
      if (withheld > 0) {
        throw new CommandFailure(
          `The command passed, but the run failed. Answers that were not stored, because what they or their requests have looks like a secret: ${withheld}.`,
        );
      }
      const unanswered = countUnanswered(reports);
      if (unanswered > 0 && (flags.complete || mode === "replay")) {
        throw new CommandFailure(
          `The command passed, but the run failed. Requests that no recording answered: ${unanswered}.`,
        );
      }
      if (refusedHosts.length > 0) {
        throw new CommandFailure(
          `The command passed, but the run failed. Hosts that --strict refused: ${refusedHosts.join(", ")}.`,
        );
      }
      const unused = reports.reduce((sum, report) => sum + report.unused.length, 0);
      if (flags.complete && unused > 0) {
        throw new CommandFailure(
          `Recordings that were not used: ${unused}. If the command ran all tests, tapedeck prune lists them, and removes them with --force.`,
        );
      }
    });
}

export function addProxyCommand(program: Command, io: CommandIo): void {
  withProxyOptions(program.command("proxy"))
    .description("run the recording proxy until it is stopped with Ctrl-C")
    .action(async (flags: ProxyFlags) => {
      const proxy = await startProxy(flags);
      io.stdout.write(`The proxy listens at ${proxy.origin}. Send your SDKs there:\n`);
      for (const [name, value] of Object.entries(clientEnvironment(proxy.origin)))
        io.stdout.write(`${name}=${value}\n`);
      await withStopSignal((signal) => once(signal, "abort"));
      await finish(proxy, true, false, io);
    });
}
