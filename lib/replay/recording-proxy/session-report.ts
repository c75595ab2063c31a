import { commandLine } from "#lib/platform/command-line";
import { describeDifference } from "#lib/platform/json-difference";
import { localHost, type TaskRunner } from "#lib/replay/interception/index";
import { isMaskedNow, maskedReason, volatileAdvice } from "./changing-text";
import { defaultTest } from "./config";
import {
  allText,
  describeAccepted,
  describeByOrder,
  describeInResults,
  describeVolatile,
  namesOf,
} from "./describe-accepted";
import { describeLocal } from "./local-servers";
import { allPlayed, notRecorded } from "./match-request";
import { countMissed, countUnused, type Miss, type SessionReport } from "./report";
import type { TestRun } from "./store-call";
import { describeRedactions } from "./store-exchange";

const maxListedCount = 20;
const maxListedAgainCount = 5;

const maxShownDifferences = 10;

/** Returns why a request is a miss, and what to do, for the SDK's error message. `maxCount`: most differences that it names. */
export function describeMiss(
  { test, host, client, reason, nearest, mayBeVolatile, others = [], answers, record, failure }: Miss,
  maxCount = maxShownDifferences,
): string {
  const why = reason === notRecorded ? "" : ` ${reason}.`;
  const lines = [`Tapedeck has no recording for this request of "${test}".${why}`];
  if (test === defaultTest && failure === undefined && reason.endsWith(allPlayed))
    lines.push("If an app asks it while you develop, --repeat plays the last recording again.");
  if (host) lines.push(`It was sent to ${host}${client ? ` by ${client}` : ""}.`);
  if (answers !== undefined) lines.push(answers);
  if (others.length > 0)
    lines.push("No test has used these tapes so far, which have this request. Was a test renamed?");
  for (const { test: name, folder, move } of others) lines.push(`  "${name}": ${move ?? folder}`);
  if (nearest) {
    const shown = nearest.differences.slice(0, maxCount).map((difference) => `  ${describeDifference(difference)}`);
    const more = nearest.differences.length - shown.length;
    lines.push(`The nearest recording is ${nearest.file}:`, ...shown, ...(more > 0 ? [`  and ${more} more`] : []));
    if (mayBeVolatile) lines.push(volatileAdvice);
  }
  if (record !== undefined)
    lines.push(`${others.some(({ move }) => move) ? "Else record" : "Record"} it with: ${record}`);
  if (failure !== undefined) lines.push(`It could not be recorded: ${failure}`);
  if (nearest)
    lines.push(
      `The old recording stays until it is removed: ${commandLine("prune")} lists what a complete run did not use.`,
    );
  return lines.join("\n");
}

/** Returns notes as lines. Of answers that could not be written for one reason, the first stands for all. */
function noteLines(reports: readonly SessionReport[]): string[] {
  const counts = new Map<string, { line: string; count: number }>();
  for (const { test, notes } of reports) {
    for (const note of notes) {
      const line = `  ${test}: ${note}`;
      const kind = /was not stored: \S+: (.*)$/.exec(note)?.[1] ?? line;
      counts.set(kind, { line: counts.get(kind)?.line ?? line, count: (counts.get(kind)?.count ?? 0) + 1 });
    }
  }
  return [...counts.values()].map(({ line, count }) =>
    count === 1 ? line : `${line} The same for ${count - 1} more.`,
  );
}

/** Returns which tapes have recordings that are older than they should be, as lines. */
function describeOld(reports: readonly SessionReport[], maxCount: number): string[] {
  const tapes = reports.filter(({ old }) => old.length > 0);
  const lines = tapes.slice(0, maxCount).map(({ test, old }) => {
    const days = old.map(({ day }) => day);
    const first = days.includes(null) ? "an unknown day" : days.sort()[0];
    return `  ${test}: recordings that are too old: ${old.length}, the oldest from ${first}`;
  });
  const more = tapes.length - lines.length;
  return [...lines, ...(more > 0 ? [`  and recordings of ${more} more tests. ${allText()}`] : [])];
}

/** Returns as lines for a terminal which requests were recorded again, as few words are not those of an unused recording. */
function describeAgain(reports: readonly SessionReport[], maxCount: number): string[] {
  const found = reports.flatMap(({ test, again, unused }) =>
    again.filter(({ file }) => unused.includes(file)).map((request) => ({ test, ...request })),
  );
  if (found.length === 0) return [];
  const textOf = ({ parts }: (typeof found)[number]) =>
    parts.map(({ before, after }) => `${JSON.stringify(before)} is now ${JSON.stringify(after)}`).join("; ");
  const different = [...new Map(found.map((request) => [textOf(request), request]))];
  const shown = different.slice(0, maxCount);
  const more = different.length - shown.length;
  return [
    `  recorded again, since few words differ from a recording that nothing asked for: ${found.length}`,
    ...shown.map(([text, { test, file }]) => `    ${test}, ${file}: ${text}`),
    ...(more > 0 ? [`    and ${more} more. ${allText()}`] : []),
    ...(found.some(({ parts }) => isMaskedNow(parts)) ? [`    ${maskedReason()}`] : []),
    ...(found.every(({ parts }) => isMaskedNow(parts)) ? [] : [`    ${volatileAdvice}`]),
  ];
}

const maxNamedFiles = 5;

/** Returns what misses of one kind have in common: all but the test, the file and positions in lists. */
function kindOf(miss: Miss): string {
  const { test, host, reason, nearest, others = [], answers, failure } = miss;
  const differences = nearest?.differences.map((difference) =>
    describeDifference({ ...difference, pointer: difference.pointer.replace(/\/\d+(?=\/|$)/g, "/*") }),
  );
  return JSON.stringify([others.length > 0 ? test : null, host, reason.split(":")[0], answers, failure, differences]);
}

/** Returns what is missed as a line, with the first difference from the nearest recording. */
function missLine({ test, request, host, client, reason, nearest, others = [], answers, failure }: Miss): string {
  const [first, ...more] = nearest?.differences ?? [];
  const difference = first && `${describeDifference(first)}${more.length > 0 ? `; and ${more.length} more` : ""}`;
  const names = others.map((other) => `"${other.test}"`).join(" or ");
  return [
    `  "${test}": no recording of ${request}${host && !request.includes(host) ? ` to ${host}` : ""}${client ? ` by ${client}` : ""}.`,
    ...(reason === notRecorded ? [] : [`${reason}.`]),
    ...(answers === undefined ? [] : [answers]),
    ...(others.length > 0 ? [`Was the test renamed? It is on the tape of ${names}, which did not run.`] : []),
    ...(difference ? [`Nearest is ${nearest?.file}: ${difference}.`] : []),
    ...(failure === undefined ? [] : [`It could not be recorded: ${failure}`]),
  ].join(" ");
}

/** Adds a miss, and tells it at once if the test has none of its kind yet. */
export function addMiss({ report, options }: Pick<TestRun, "report" | "options">, miss: Miss): void {
  const kind = kindOf(miss);
  if (report.misses.every((each) => kindOf(each) !== kind)) options.tell?.(missLine(miss).trim());
  report.misses.push(miss);
}

/** A miss, and what is to be said of others of its kind. */
type Kind = { first: Miss; same: string };

/** Returns the first miss of each kind. */
function kindsOf(misses: readonly Miss[]): Kind[] {
  const kinds = new Map<string, [Miss, ...Miss[]]>();
  for (const miss of misses) {
    const kind = kindOf(miss);
    const known = kinds.get(kind);
    if (known) known.push(miss);
    else kinds.set(kind, [miss]);
  }
  return [...kinds.values()].map(([first, ...others]) => {
    const names = namesOf(others.map(({ test }) => test));
    return { first, same: others.length === 0 ? "" : `The same for ${others.length} more: ${names}.` };
  });
}

/** Returns the misses as lines: the whole texts of those of which each is the first of its kind. */
function wholeMisses(reports: readonly SessionReport[]): string[] {
  const kinds = kindsOf(reports.flatMap(({ misses }) => misses));
  return kinds.flatMap(({ first, same }) => [
    ...describeMiss(first, Infinity).split("\n"),
    ...(same === "" ? [] : [same]),
  ]);
}

/** Returns the misses as lines for a terminal: one for those of a kind, and what to do about them. */
function describeMisses(reports: readonly SessionReport[]): string[] {
  const misses = reports.flatMap((report) => report.misses);
  const kinds = kindsOf(misses);
  const lines = kinds.slice(0, maxListedCount).map(({ first, same }) => `${missLine(first)} ${same}`.trimEnd());
  const more = kinds.length - lines.length;
  const record = misses.find((miss) => miss.record !== undefined)?.record;
  const move = misses.flatMap(({ others = [] }) => others).find((other) => other.move !== undefined)?.move;
  return [
    ...lines,
    ...(more > 0 ? [`  and ${more} more kinds of misses`] : []),
    ...(misses.some(({ mayBeVolatile }) => mayBeVolatile) ? [`  ${volatileAdvice}`] : []),
    ...(move === undefined ? [] : [`  Keep the recordings of a renamed test: ${move}`]),
    ...(record === undefined ? [] : [`  ${move === undefined ? "Record" : "Else record"} it with: ${record}`]),
    ...(lines.length > 0 ? [`  Every difference, and what to do: ${commandLine("why")}`] : []),
  ];
}

/** Returns which recordings no request asked for, as a line for each test. `maxCount`: most tests and files that are named. */
export function describeUnused(reports: readonly SessionReport[], maxCount: number): string[] {
  const tapes = reports.filter(({ unused }) => unused.length > 0);
  const more = tapes.length - maxCount;
  const isCut = more > 0 || tapes.some(({ unused }) => unused.length > maxCount);
  return [
    ...tapes.slice(0, maxCount).map(({ test, unused }) => {
      const rest = unused.length > maxCount ? ` and ${unused.length - maxCount} more` : "";
      return `  ${test}: nothing asked for ${unused.slice(0, maxCount).join(", ")}${rest}`;
    }),
    ...(isCut ? [`  ${more > 0 ? `and recordings of ${more} more tests. ` : ""}${allText()}`] : []),
  ];
}

/** Returns the misses of a run and all that `describeReports` cuts, as lines. */
export function describeAll(reports: readonly SessionReport[]): string[] {
  return [
    ...wholeMisses(reports),
    ...reports.flatMap(describeAccepted),
    ...describeOld(reports, Infinity),
    ...describeAgain(reports, Infinity),
    ...describeUnused(reports, Infinity),
  ];
}

/** Options of runners of tasks that run all tasks, whatever is in the cache. */
export const runAllFlags: Record<TaskRunner, string> = { turbo: "--force", nx: "--skip-nx-cache" };

type Command = {
  exitCode?: number;
  /** One that may have answered tasks from its cache. */
  taskRunner?: TaskRunner | undefined;
  /** Those that are intercepted besides the hosts of models. */
  hosts?: readonly string[] | undefined;
  /** Whether clients of all languages reach a host, by the base URL of a variable or of an upstream. */
  isUpstream?: ((host: string) => boolean) | undefined;
  /** Whether `why` has the reports, so that lists can be cut. */
  isStored?: boolean;
};

/** Returns how calls come to the proxy that did not; for a command that failed, only if `hosts` has a server on this machine. */
function adviseUnreached({ hosts = [], isUpstream, exitCode = 0 }: Command): string {
  const named = hosts.find((host) => localHost.test(host));
  if (named ? isUpstream?.(named) : exitCode !== 0) return "";
  const variable = `OPENAI_BASE_URL=http://${named ?? "127.0.0.1:<port>"}/v1`;
  if (named)
    return `If a program other than Node.js and Bun asks ${named}, start each run with ${variable}, or the variable that its client reads.`;
  return `If it makes some, its client may ignore HTTPS_PROXY, or ask a server on this machine: use --hosts 127.0.0.1:<port> (Node.js and Bun), or start each run with the variable of the base URL that the client reads, such as ${variable}.`;
}

/** Returns why a run may have made no calls or used no recordings, and what to do, as lines. */
function describeIdle(command: Command, { isIdle, unusedCount }: { isIdle: boolean; unusedCount: number }): string[] {
  const { exitCode = 0, taskRunner } = command;
  const cached = taskRunner
    ? `Tasks that ${taskRunner} answers from its cache do not run: ${runAllFlags[taskRunner]} runs them, and so does "cache": false in ${taskRunner}.json.`
    : undefined;
  if (isIdle) {
    const what = exitCode === 0 ? "No call" : `The command ended with ${exitCode}, and no call`;
    return [`  ${what} of a model came to the proxy. ${cached ?? adviseUnreached(command)}`.trimEnd()];
  }
  return cached && unusedCount > 0 ? [`  ${cached}`] : [];
}

/** Returns what happened as lines for a terminal. */
export function describeReports(reports: readonly SessionReport[], command: Command = {}): string[] {
  const { isStored = true } = command;
  const upTo = (count: number) => (isStored ? count : Infinity);
  const sum = (count: (report: SessionReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  const seldom = {
    "from answers": sum((report) => report.answered),
    "passed through": sum((report) => report.passedThrough),
    unreadable: sum((report) => report.unreadable),
    withheld: sum((report) => report.withheld),
  };
  const unusedCount = countUnused(reports);
  const counts = [
    `${sum(({ played }) => played)} played`,
    `${sum(({ recorded }) => recorded)} recorded`,
    `${countMissed(reports)} missed`,
    `${unusedCount} unused`,
    ...Object.entries(seldom).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : [])),
  ];
  const addresses = [...new Set(reports.flatMap((report) => report.addresses))];
  const isIdle = sum(({ requests, unreadable }) => requests + unreadable) === 0;
  return [
    `tapedeck: ${counts.join(", ")}`,
    ...describeIdle(command, { isIdle, unusedCount }),
    ...(addresses.length > 0 ? [`  recorded from other addresses: ${addresses.join(", ")}`] : []),
    ...describeLocal(reports),
    ...describeRedactions(reports),
    ...describeOld(reports, upTo(maxListedCount)),
    ...noteLines(reports),
    ...(isStored ? describeMisses(reports) : wholeMisses(reports).map((line) => `  ${line}`)),
    ...describeVolatile(reports),
    ...describeAgain(reports, upTo(maxListedAgainCount)),
    ...describeInResults(reports, isStored),
    ...describeByOrder(reports, upTo(maxListedCount)),
    ...describeUnused(reports, upTo(maxNamedFiles)),
  ];
}
