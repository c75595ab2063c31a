import { commandLine } from "#lib/platform/command-line";
import { describeDifference, type JsonDifference } from "#lib/platform/json-difference";
import { type AcceptedRequest, countAccepted, countInResults, type SessionReport } from "./report";

const maxNamedTests = 5;

/** Returns the names of tests, each once, of many the first ones. */
export function namesOf(tests: readonly string[]): string {
  const names = [...new Set(tests)].map((name) => `"${name}"`);
  const more = names.length > maxNamedTests ? ` and ${names.length - maxNamedTests} more tests` : "";
  return names.slice(0, maxNamedTests).join(", ") + more;
}

/** Says that a list is cut, and what shows all of it. */
export const allText = () => `All: ${commandLine("why")}`;

/** Returns the name of a field: that of each item of a list is the same. */
function fieldOf({ pointer }: JsonDifference): string {
  return pointer === "" ? "the request" : pointer.replace(/\/\d+(?=\/|$)/g, "/*");
}

/**
 * Returns as lines for a terminal in which fields requests differed whose recordings were chosen by their order: how many
 * requests for each field, and the first of them.
 */
export function describeByOrder(
  reports: readonly { test: string; accepted: readonly AcceptedRequest[] }[],
  maxCount: number,
): string[] {
  const fields = new Map<string, { count: number; first: string }>();
  const count = countAccepted(reports.flatMap(({ accepted }) => accepted.filter(({ isByOrder }) => isByOrder)));
  for (const { test, accepted } of reports) {
    for (const { file, differences, isByOrder } of accepted) {
      if (!isByOrder) continue;
      const named = differences.map((difference) => ({ field: fieldOf(difference), difference }));
      const different = named.filter(({ field }, index) => named.findIndex((each) => each.field === field) === index);
      for (const { field, difference } of different) {
        const known = fields.get(field);
        const first = known?.first ?? `${test}, ${file}: ${describeDifference(difference)}`;
        fields.set(field, { first, count: (known?.count ?? 0) + 1 });
      }
    }
  }
  if (count === 0) return [];
  const sorted = [...fields].sort(([, a], [, b]) => b.count - a.count);
  const shown = sorted.slice(0, maxCount);
  return [
    `  played by order although the request differs: ${count}`,
    ...shown.map(([field, each]) => `    ${field} (${each.count}): ${each.first}`),
    ...(sorted.length > shown.length ? [`    and ${sorted.length - shown.length} more fields. ${allText()}`] : []),
  ];
}

/** Most requests that differ in volatile texts of which a difference is shown. */
const maxShownVolatile = 3;

/**
 * Returns as lines how many requests were answered although times, UUIDs and the like differ, and in which tests, with the
 * first differences.
 */
export function describeVolatile(reports: readonly SessionReport[]): string[] {
  const found = reports.flatMap(({ test, accepted }) => {
    const volatile = accepted.filter(({ isByOrder, isInResults }) => !isByOrder && !isInResults);
    const count = countAccepted(volatile);
    const lines = volatile.flatMap(({ file, differences: [first] }) =>
      first ? [`    ${test}, ${file}: ${describeDifference(first)}`] : [],
    );
    return count === 0 ? [] : [{ test, count, lines }];
  });
  const [first, ...others] = found;
  if (!first) return [];
  const sum = found.reduce((total, { count }) => total + count, 0);
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return [
    `  requests that differ only in times, UUIDs and the like: ${sum}, of "${first.test}"${more}`,
    ...found.flatMap(({ lines }) => lines).slice(0, maxShownVolatile),
  ];
}

/**
 * Returns as lines for a terminal which requests differed in what tools returned, each with its first difference. Later turns
 * of a conversation repeat it, so that of a test's equal ones the first is shown. Where `isCut`, one for each field.
 */
export function describeInResults(reports: readonly SessionReport[], isCut: boolean): string[] {
  const found = reports.flatMap(({ test, accepted }) =>
    accepted.flatMap(({ file, differences: [first], isInResults }) => (isInResults ? [{ test, file, first }] : [])),
  );
  if (found.length === 0) return [];
  const different = new Map<string, { test: string; file: string; first: JsonDifference }>();
  for (const { test, file, first } of found) {
    const name = JSON.stringify([test, first]);
    if (first && !different.has(name)) different.set(name, { test, file, first });
  }
  const fields = new Map<string, { test: string; file: string; first: JsonDifference }>();
  const more: string[] = [];
  for (const [name, each] of different) {
    const field = isCut ? fieldOf(each.first) : name;
    if (fields.has(field)) more.push(each.test);
    else fields.set(field, each);
  }
  return [
    `  played although what tools returned differs: ${countInResults(reports)}${isCut ? `. Every difference: ${commandLine("why")}` : ""}`,
    ...[...fields.values()].map(({ test, file, first }) => `    ${test}, ${file}: ${describeDifference(first)}`),
    ...(more.length > 0 ? [`    and ${more.length} more, of ${namesOf(more)}`] : []),
    "    --match results records such requests, or refuses them in mode replay.",
  ];
}

/** Returns every difference of the requests that were answered although they differ in more than volatile texts, as lines. */
export function describeAccepted({ test, accepted }: SessionReport): string[] {
  return accepted.flatMap(({ file, differences, isByOrder, isInResults }) => {
    if (!isByOrder && !isInResults) return [];
    const how = isByOrder ? "by order although the request differs" : "although what tools returned differs";
    const lines = differences.map((difference) => `  ${describeDifference(difference)}`);
    const none = "  no further differences are listed: earlier requests have the same, or there are too many";
    return [`${file} of "${test}" was played ${how}:`, ...(lines.length > 0 ? lines : [none])];
  });
}
