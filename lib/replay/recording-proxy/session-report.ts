import { describeDifference, type JsonDifference } from "#lib/platform/json-difference";
import { type AcceptedRequest, describeByOrder } from "./describe-by-order";
import type { NamedTape } from "./unopened-tapes";

/** Why a call of a model cannot be answered, and what to do. */
export type Refusal = { reason: string; advice: string };

/** A request that no recording has, for the report. */
export type Miss = {
  test: string;
  request: string;
  /** Host that the client asked, if the request was intercepted on its way there. */
  host?: string;
  /** What the client calls itself. */
  client?: string;
  reason: string;
  /** File of the nearest recording, and how the request differs from it. */
  nearest: { file: string; differences: JsonDifference[] } | null;
  /** The tape of another test that has exactly this request and that no test has used, and the free folder of this test's. */
  other?: NamedTape & { freeFolder: string | null };
  /** In mode `auto`, why it was not recorded either. */
  failure?: string;
};

/** What a test's requests came to. */
export type SessionReport = {
  test: string;
  folder: string;
  /** Number of requests. */
  requests: number;
  played: number;
  recorded: number;
  /** Requests that went to the provider in mode `live`. */
  passedThrough: number;
  /** Requests whose tape or recording cannot be read. */
  unreadable: number;
  /** Answers that were not stored because they, or their requests, may have a secret. */
  withheld: number;
  misses: Miss[];
  /** Files of recordings that no request asked for. */
  unused: string[];
  /** Differences that were accepted, because they lie in what tools returned, or because recordings play by order. */
  accepted: AcceptedRequest[];
  /** What happened that the developer has to know, such as an incomplete answer. */
  notes: string[];
  redactions: number;
};

/** Returns the report of a test that has asked for nothing. */
export function emptyReport(test: string, folder: string): SessionReport {
  return {
    test,
    folder,
    requests: 0,
    played: 0,
    recorded: 0,
    passedThrough: 0,
    unreadable: 0,
    withheld: 0,
    misses: [],
    unused: [],
    accepted: [],
    notes: [],
    redactions: 0,
  };
}

/** Returns one report of several runs of a test in one run of the command: retries, or tests of one name. */
export function addReports(earlier: SessionReport, later: SessionReport): SessionReport {
  return {
    ...later,
    requests: earlier.requests + later.requests,
    played: earlier.played + later.played,
    recorded: earlier.recorded + later.recorded,
    passedThrough: earlier.passedThrough + later.passedThrough,
    unreadable: earlier.unreadable + later.unreadable,
    withheld: earlier.withheld + later.withheld,
    misses: [...earlier.misses, ...later.misses],
    accepted: [...earlier.accepted, ...later.accepted],
    notes: [...new Set([...earlier.notes, ...later.notes])],
    redactions: earlier.redactions + later.redactions,
  };
}

/** Returns how many requests of a run no recording answered: those without one, and those whose tape cannot be read. */
export function countUnanswered(reports: readonly SessionReport[]): number {
  return reports.reduce((sum, { misses, unreadable }) => sum + misses.length + unreadable, 0);
}

/** Most differences in the message of a miss. */
const maxShownDifferences = 10;

/** Returns why a request is a miss, and what to do, for the SDK's error message. */
export function describeMiss({ test, host, client, reason, nearest, other, failure }: Miss): string {
  const lines = [`Tapedeck has no recording for this request of "${test}". ${reason}.`];
  if (host) lines.push(`It was sent to ${host}${client ? ` by ${client}` : ""}.`);
  if (other) {
    const advice = `Then move that folder to ${other.freeFolder}, and set "test" in its tape.json to "${test}".`;
    lines.push(
      `${other.folder} holds this request, for "${other.test}", which no test has used. Was the test renamed?`,
      ...(other.freeFolder === null ? [] : [advice]),
    );
  }
  if (nearest) {
    const shown = nearest.differences
      .slice(0, maxShownDifferences)
      .map((difference) => `  ${describeDifference(difference)}`);
    const more = nearest.differences.length - shown.length;
    lines.push(`The nearest recording is ${nearest.file}:`, ...shown, ...(more > 0 ? [`  and ${more} more`] : []));
  }
  if (failure === undefined) lines.push("Record it with: tapedeck run --mode auto -- <command>");
  else lines.push(`It could not be recorded: ${failure}`);
  if (nearest) lines.push("The old recording stays until tapedeck prune --force removes it.");
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

/** Most tests of equal misses that are named. */
const maxNamedTests = 5;

/** Returns what misses of one kind have in common: all but the test, the file and positions in lists. */
function kindOf(miss: Miss): string {
  const { test, host, reason, nearest, other, failure } = miss;
  const differences = nearest?.differences.map((difference) =>
    describeDifference({ ...difference, pointer: difference.pointer.replace(/\/\d+(?=\/|$)/g, "/*") }),
  );
  return JSON.stringify([other ? test : null, host, reason.split(":")[0], failure, differences]);
}

/** Returns the misses as texts. Of those of one kind, the first stands for all. */
function describeMisses(misses: readonly Miss[]): string[] {
  const kinds = new Map<string, Miss[]>();
  for (const miss of misses) {
    const kind = kindOf(miss);
    const known = kinds.get(kind);
    if (known) known.push(miss);
    else kinds.set(kind, [miss]);
  }
  return [...kinds.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const tests = [...new Set(others.map(({ test }) => `"${test}"`))];
    const more = tests.length > maxNamedTests ? ` and ${tests.length - maxNamedTests} more tests` : "";
    const same = `The same for ${others.length} more: ${tests.slice(0, maxNamedTests).join(", ")}${more}.`;
    return [others.length === 0 ? describeMiss(first) : `${describeMiss(first)}\n${same}`];
  });
}

/** Returns what happened as lines for a terminal. */
export function describeReports(reports: readonly SessionReport[]): string[] {
  const sum = (count: (report: SessionReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  const seldom = {
    "passed through": sum((report) => report.passedThrough),
    unreadable: sum((report) => report.unreadable),
    withheld: sum((report) => report.withheld),
  };
  const counts = [
    `${sum(({ played }) => played)} played`,
    `${sum(({ recorded }) => recorded)} recorded`,
    `${sum(({ misses }) => misses.length)} missed`,
    `${sum((report) => report.unused.length)} unused`,
    ...Object.entries(seldom).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : [])),
  ];
  const redactions = sum((report) => report.redactions);
  const isIdle = sum(({ requests, unreadable }) => requests + unreadable) === 0;
  return [
    `tapedeck: ${counts.join(", ")}`,
    ...(isIdle ? ["  No call of a model came to the proxy. See which clients it reaches: /docs/clients"] : []),
    ...(redactions > 0 ? [`  secrets removed before anything was stored: ${redactions}`] : []),
    ...noteLines(reports),
    ...describeMisses(reports.flatMap(({ misses }) => misses)).map((text) => `  ${text.replaceAll("\n", "\n  ")}`),
    ...reports.flatMap(({ test, accepted }) => {
      const count = accepted.filter(({ isByOrder }) => !isByOrder).length;
      return count === 0
        ? []
        : [`  ${test}: requests that differ in what tools returned, or in times, UUIDs and the like: ${count}`];
    }),
    ...describeByOrder(reports),
    ...reports.flatMap(({ test, unused: files }) =>
      files.length === 0 ? [] : [`  ${test}: nothing asked for ${files.join(", ")}`],
    ),
  ];
}
