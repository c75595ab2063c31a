import { once } from "node:events";
import { type Command, InvalidArgumentError, Option } from "commander";
import { commandLine } from "#lib/platform/command-line";
import {
  clientEnvironment,
  configFileName,
  countInResults,
  countUnanswered,
  countUnused,
  hostSchema,
  matchings,
  modes,
  runAllFlags,
  type SessionReport,
} from "#lib/replay/recording-proxy/index";
import { parseAge } from "../arguments";
import { CommandFailure, misused } from "../failure";
import type { CommandIo } from "../io";
import { finish, modeOf, type ProxyFlags, type RunFlags, runWithTapes, startProxy } from "../run-with-tapes";
import { withStopSignal } from "../stop-signal";

const help = `
Modes:
  auto    plays what is recorded, and records what is not (default)
  replay  plays only, and calls no model (default where CI is set)
  record  records everything again; replaces the tapes of tests that pass
  live    passes everything through and records nothing

Calls of model providers are intercepted; no code changes. The exit code is that
of the command, or 1 if it is 0 and mode replay or an option asks for more.

Examples:
  tapedeck run -- npm test
  tapedeck run --mode record --affected -- npm test`;

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("must be a port number.");
}

function hostsOf(text: string): string[] {
  const hosts = text
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter(Boolean);
  const wrong = hosts.find((host) => !hostSchema.safeParse(host).success);
  if (wrong === undefined) return hosts;
  throw new InvalidArgumentError(`${wrong} must be a host such as api.example.com, or host:port.`);
}

function withProxyOptions(command: Command): Command {
  return command
    .addOption(new Option("--mode <mode>", "see below").choices([...modes]))
    .option("--tapes <dir>", "folder of the tapes (default: as configured, or tapes)")
    .addOption(new Option("--exact", "match only requests that are exactly equal").conflicts("match"))
    .addOption(
      new Option(
        "--match <what>",
        "request: tool results may differ (default); results: they may not; order: only method and URL count",
      ).choices([...matchings]),
    )
    .option("--repeat", "play the last recording of a request again and again")
    .option("--port <number>", "port of the proxy (default: a free one)", parsePort);
}

export function addRunCommand(program: Command, io: CommandIo): void {
  withProxyOptions(program.command("run"))
    .description("run a command, such as a test suite, with its model calls recorded once and then replayed")
    .argument("<command...>", "the command, after --")
    .option("--hosts <names>", "more hosts, such as *.example.com,127.0.0.1:4010", hostsOf)
    .option("--strict", "refuse requests to all hosts that are not recorded")
    .option("--complete", "fail if recordings are missing, unused or differ in results")
    .option("--affected", "record only the tapes of models that end; play the others")
    .option(
      "--model <name>",
      "with --affected: also the tapes of this model (repeatable)",
      (name, all: string[] = []) => [...all, name],
    )
    .option("--keep-failed", "in mode record: replace the tapes of tests that fail, too")
    .option("--max-age <days>", "fail if a recording that was played is older, such as 90d", parseAge)
    .option("--report <file>", "write what the run used, for merge-runs")
    .option("--junit <file>", "write each test's calls, tokens, costs and models as JUnit")
    .addHelpText("after", help)
    .action(async (command: string[], flags: RunFlags) => {
      const mode = modeOf(flags);
      if (flags.complete && (mode === "live" || mode === "record"))
        throw new CommandFailure("--complete needs the mode auto or replay.", misused);
      if (flags.keepFailed && mode !== "record")
        throw new CommandFailure("--keep-failed needs --mode record.", misused);
      if (flags.affected && mode !== "record") throw new CommandFailure("--affected needs --mode record.", misused);
      if (flags.model && !flags.affected) throw new CommandFailure("--model needs --affected.", misused);
      const run = await runWithTapes(command, flags, io);
      const { exitCode, reports, unopened, cachedBy, isMatchingSet, refusedHosts, cleanedBy, isUnasked } = run;
      if (exitCode !== 0) throw new CommandFailure("", exitCode);
      const sum = (count: (report: SessionReport) => number) =>
        reports.reduce((total, report) => total + count(report), 0);
      const withheld = sum((report) => report.withheld);
      const unwritten = sum((report) => report.unwritten);
      const unanswered = countUnanswered(reports);
      const needsAnswers = flags.complete || flags.affected || mode === "replay";
      const inResults = countInResults(reports);
      const old = sum((report) => report.old.length);
      const reasons = [
        withheld > 0 &&
          `Answers that were not stored, because what they or their requests have looks like a secret: ${withheld}`,
        unwritten > 0 && `Answers that could not be stored: ${unwritten}`,
        unanswered > 0 && needsAnswers && `Requests that no recording answered: ${unanswered}`,
        flags.maxAge !== undefined &&
          old > 0 &&
          `Recordings that are older than ${flags.maxAge} days, or of unknown date: ${old}`,
        flags.complete && reports.length === 0 && "There is no tape, and no call of a model came to the proxy",
        flags.complete &&
          !isMatchingSet &&
          inResults > 0 &&
          `Recordings that were played although what tools returned differs: ${inResults}. Record them again, or if it differs in each run, set match to request in ${configFileName}`,
        refusedHosts.length > 0 &&
          `Hosts that --strict refused: ${refusedHosts.join(", ")}. Name those that may pass in NO_PROXY`,
        flags.strict &&
          cleanedBy.length > 0 &&
          `Commands that start others without the variables of the run: ${cleanedBy.length}. Use env -u in place of env -i`,
        flags.strict && mode === "replay" && isUnasked && "No call came to the proxy, although there are recordings",
      ];
      const reason = reasons.find(Boolean);
      if (reason) throw new CommandFailure(`The command passed, but the run failed. ${reason}.`);
      const unused = countUnused(reports);
      if (flags.complete && unused > 0) {
        const advice = cachedBy
          ? `Whether tests need them is known once ${cachedBy} runs all tasks: ${runAllFlags[cachedBy]}`
          : `If the command ran all tests, ${commandLine("prune --all")} lists them, and removes them with --force`;
        const onOthers = countUnused(unopened);
        const others = onOthers > 0 ? `, of which ${onOthers} are on tapes that the run did not open` : "";
        throw new CommandFailure(`Recordings that were not used: ${unused}${others}. ${advice}.`);
      }
    });
}

export function addProxyCommand(program: Command, io: CommandIo): void {
  withProxyOptions(program.command("proxy"))
    .description("run the recording proxy until it is stopped with Ctrl-C")
    .action(async (flags: ProxyFlags) => {
      const proxy = await startProxy(flags, io);
      io.stdout.write(`The proxy listens at ${proxy.origin}. Send your SDKs there:\n`);
      for (const [name, value] of Object.entries(clientEnvironment(proxy.origin)))
        io.stdout.write(`${name}=${value}\n`);
      await withStopSignal((signal) => once(signal, "abort"));
      await finish(proxy, { exitCode: 0, flags }, io);
    });
}
