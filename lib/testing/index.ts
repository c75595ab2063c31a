import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { relative } from "node:path";
import { text } from "node:stream/consumers";
import { threadId } from "node:worker_threads";
import { commandLine } from "#lib/platform/command-line";
import { childEnvironment, isCi, setVariables } from "#lib/platform/config";
import { holdEnds } from "#lib/replay/interception/index";
import {
  baseUrlAt,
  describeReports,
  findUnusedTapes,
  placeholderKeys,
  RecordingProxy,
  readConfig,
  type SessionReport,
  tokenHeader,
} from "#lib/replay/recording-proxy/index";
import type { HandWritten, Mode, SeenRequest, TapeOptions, TestTape } from "./types";

export type { CallFault, HandWritten, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

/** Throws in `bun test`, which replaces the modules of other runners by its own. `expect` is that of the runner. */
export function requireRunner(runner: string, expect: object): void {
  if ("getState" in expect) return;
  throw new Error(
    `@tapedeck/testing/${runner.toLowerCase()} needs ${runner}, and this is another runner. In bun test, use @tapedeck/testing: const t = await startTape("<file> > <test>"), and await t.end() at its end.`,
  );
}

/** Returns an error for a second test of one name in a file: both would use one tape. */
export function duplicateError(name: string): Error {
  return new Error(`Two tests are named "${name}". Give them names of their own, so that each has a tape.`);
}

/** Returns a test's file as its tape names it: by its path from the folder of the run if it is below that, else from this process's. */
export function nameFile(path: string): string {
  const { TAPEDECK_FOLDER = process.cwd() } = childEnvironment();
  const name = relative(TAPEDECK_FOLDER, path);
  return name.startsWith("..") ? relative(process.cwd(), path) : name;
}

/** Tells the module that is loaded into this process which test's mark its requests carry. */
const marks = channel("tapedeck:mark");
/** That of the test with the option `app` that runs in this process. */
let runningMark: string | undefined;

/** Returns what requests for an app carry as the cookie `tapedeck-mark`, so that its calls are on the tape of the running test. */
export function currentMark(): string | undefined {
  return runningMark;
}

function setMark(mark: string | undefined): void {
  runningMark = mark;
  marks.publish(mark);
}

type Proxy = Pick<RecordingProxy, "origin" | "token">;

/** The proxy of this process, for tests that run without `tapedeck run`. */
let ownProxy: Promise<Proxy> | undefined;
/** Whether a test that passed was told that no call came to its tape. */
let isIdleTold = false;
/** Tapes further up that it does not use, until that was told. */
let unusedTapes: Awaited<ReturnType<typeof findUnusedTapes>> = null;

function ownMode(): Mode {
  return isCi() ? "replay" : "auto";
}

async function startOwnProxy(): Promise<Proxy> {
  const environment = childEnvironment();
  const config = await readConfig(process.cwd());
  unusedTapes = await findUnusedTapes(config.tapes);
  holdEnds();
  const proxy = await RecordingProxy.start({ config, mode: ownMode(), environment });
  proxy.unref();
  // As under `tapedeck run`: SDKs refuse to start without a key, although none is needed to replay.
  setVariables(placeholderKeys(environment));
  return proxy;
}

function findProxy(): Promise<Proxy> {
  const { TAPEDECK_PROXY: origin, TAPEDECK_TOKEN: token = "" } = childEnvironment();
  if (origin) return Promise.resolve({ origin, token });
  ownProxy ??= startOwnProxy();
  return ownProxy;
}

/** Controls the proxy, with the http of Node.js: the fetch of happy-dom asks first whether a page may send the request. */
async function control<T>(testUrl: string, token: string, action: string, body: unknown = {}): Promise<T> {
  const headers = { [tokenHeader]: token };
  const sent = request(`${testUrl}/__tapedeck/${action}`, { method: "POST", headers, agent: false });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const json = JSON.parse(await text(response)) as T & { error?: unknown };
  if (response.statusCode === 200) return json;
  const { error } = json;
  throw new Error(
    typeof error === "string" ? error : ((error as { message?: string })?.message ?? JSON.stringify(json)),
  );
}

/** Whether a value is a regular expression, also of another realm, as in Jest. */
function isExpression(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === "[object RegExp]";
}

/** Returns an answer as JSON can have it. */
function toWire({ when, ...answer }: HandWritten): object {
  if (!isExpression(when)) return { when, ...answer };
  return { when: { regex: when.source, flags: when.flags.replace(/[dgy]/g, "") }, ...answer };
}

/** Returns the variables by which Deno, which loads no module before a program, tells its process with each request to a proxy. */
function denoProxies(origin: string, process: string): Record<string, string> {
  if (!("Deno" in globalThis)) return {};
  const url = origin.replace("://", `://${encodeURIComponent(process)}:process@`);
  return { HTTP_PROXY: url, HTTPS_PROXY: url, http_proxy: url, https_proxy: url };
}

/** Returns that no call came to a tape without `tapedeck run`, and why, with the notes; null if one did. */
function describeIdle({ test, requests, unreadable, unused, notes }: SessionReport): string | null {
  if (requests + unreadable > 0) return null;
  const recorded = unused.length > 0 ? `, whose recordings were not used: ${unused.length}` : "";
  const advice = `Clients without its base URL (t.openai) are only intercepted with: ${commandLine("run -- <command>")}`;
  return [`No call came to the tape "${test}"${recorded}. ${advice}`, ...notes].join("\n  ");
}

/** Returns what happened in a test without `tapedeck run` that the developer has to know. */
function describeEnd(report: SessionReport, passed: boolean, idle: string | null): string[] {
  const { recorded, misses, notes } = report;
  if (idle !== null) {
    if (passed && isIdleTold && notes.length === 0) return [];
    isIdleTold ||= passed;
    return [`tapedeck: ${idle}`];
  }
  const unused = recorded + misses.length > 0 ? unusedTapes : null;
  if (unused) unusedTapes = null;
  return [
    ...(unused
      ? [`tapedeck: The tapes in ${unused.tapes} are not used here; a run in ${unused.project} uses them.`]
      : []),
    ...(recorded + misses.length + notes.length > 0 ? describeReports([report], { isStored: false }) : []),
  ];
}

/**
 * Starts the tape of a test: at the proxy of `tapedeck run`, or at one in this process. Throws if the tape cannot be
 * read, or if an option is not valid.
 */
export async function startTape(test: string, options: Omit<TapeOptions, "test"> = {}): Promise<TestTape> {
  const { origin, token } = await findProxy();
  if (options.app && ownProxy) {
    throw new Error(`The calls of the app are only intercepted with: ${commandLine("run -- <command>")}`);
  }
  const testUrl = `${origin}/t/${encodeURIComponent(test)}`;
  const TAPEDECK_PROCESS = childEnvironment().TAPEDECK_PROCESS || `${process.pid}-${threadId}`;
  // Processes that the test starts send their requests as this one.
  setVariables({ TAPEDECK_PROCESS, ...(ownProxy ? {} : denoProxies(origin, TAPEDECK_PROCESS)) });
  const answers = options.answers?.map(toWire);
  const mark = options.app ? `mark-${randomUUID()}` : undefined;
  const begun = { ...options, answers, process: TAPEDECK_PROCESS, mark };
  const { upstreams } = await control<{ upstreams: string[] }>(testUrl, token, "begin", begun);
  if (mark) setMark(mark);
  return {
    test,
    anthropic: baseUrlAt(testUrl, "anthropic"),
    openai: baseUrlAt(testUrl, "openai"),
    gemini: baseUrlAt(testUrl, "gemini"),
    ollama: baseUrlAt(testUrl, "ollama"),
    baseUrl: (upstream) => {
      if (upstreams.includes(upstream)) return baseUrlAt(testUrl, upstream);
      throw new Error(`There is no upstream "${upstream}". Known are ${upstreams.join(", ")}.`);
    },
    requests: () => control<SeenRequest[]>(testUrl, token, "requests"),
    end: async (passed = true, mayBeIdle = false) => {
      if (mark && mark === runningMark) setMark(undefined);
      const report = await control<SessionReport>(testUrl, token, "end", { passed });
      // There is no run that could tell it.
      if (!ownProxy) return report;
      const isReplay = (options.mode ?? ownMode()) === "replay";
      const idle = mayBeIdle ? null : describeIdle(report);
      if (idle !== null && passed && isReplay && report.unused.length > 0) throw new Error(idle);
      const text = describeEnd(report, passed, idle).join("\n");
      // The code may have caught what the miss was answered with.
      if (passed && isReplay && report.misses.length > 0) throw new Error(text);
      if (text !== "") process.stderr.write(`${text}\n`);
      return report;
    },
  };
}
