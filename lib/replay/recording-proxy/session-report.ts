import { describeDifference, type JsonDifference } from "#lib/platform/json-difference";

/** A request that no recording has, for the report. */
export type Miss = {
  test: string;
  request: string;
  reason: string;
  /** File of the nearest recording, and how the request differs from it. */
  nearest: { file: string; differences: JsonDifference[] } | null;
};

/** What a test's requests came to. */
export type SessionReport = {
  test: string;
  folder: string;
  played: number;
  recorded: number;
  misses: Miss[];
  /** Files of recordings that no request asked for. */
  unused: string[];
  /** Differences that were accepted, because they lie in what tools returned. */
  accepted: { file: string; differences: JsonDifference[] }[];
  /** What happened that the developer has to know, such as an incomplete answer. */
  notes: string[];
  redactions: number;
};

/** Returns the report of a test that has asked for nothing. */
export function emptyReport(test: string, folder: string): SessionReport {
  return { test, folder, played: 0, recorded: 0, misses: [], unused: [], accepted: [], notes: [], redactions: 0 };
}

/** Most differences in the message of a miss. */
const maxShownDifferences = 10;

/** Returns why a request is a miss, and what to do, for the SDK's error message. */
export function describeMiss({ test, reason, nearest }: Miss): string {
  const lines = [`Tapedeck has no recording for this request of "${test}". ${reason}.`];
  if (nearest) {
    const shown = nearest.differences
      .slice(0, maxShownDifferences)
      .map((difference) => `  ${describeDifference(difference)}`);
    const more = nearest.differences.length - shown.length;
    lines.push(`The nearest recording is ${nearest.file}:`, ...shown, ...(more > 0 ? [`  and ${more} more`] : []));
  }
  lines.push("Record it with: tapedeck run --mode auto -- <command>");
  return lines.join("\n");
}

/** Returns what happened as lines for a terminal. */
export function describeReports(reports: readonly SessionReport[]): string[] {
  const sum = (count: (report: SessionReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  const unused = sum((report) => report.unused.length);
  const counts = [
    `${sum(({ played }) => played)} played`,
    `${sum(({ recorded }) => recorded)} recorded`,
    `${sum(({ misses }) => misses.length)} missed`,
    `${unused} unused`,
  ];
  const redactions = sum((report) => report.redactions);
  return [
    `tapedeck: ${counts.join(", ")}`,
    ...(redactions > 0 ? [`  secrets removed before anything was stored: ${redactions}`] : []),
    ...reports.flatMap(({ test, notes }) => notes.map((note) => `  ${test}: ${note}`)),
    ...reports
      .flatMap(({ misses }) => misses.map((miss) => describeMiss(miss).replaceAll("\n", "\n  ")))
      .map((text) => `  ${text}`),
    ...reports.flatMap(({ test, accepted }) =>
      accepted.length === 0 ? [] : [`  ${test}: requests that differ in what tools returned: ${accepted.length}`],
    ),
    ...reports.flatMap(({ test, unused: files }) =>
      files.length === 0 ? [] : [`  ${test}: nothing asked for ${files.join(", ")}`],
    ),
  ];
}
