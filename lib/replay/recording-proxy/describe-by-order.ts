import { describeDifference, type JsonDifference } from "#lib/platform/json-difference";
import type { AcceptedRequest } from "./report";

/** Most fields that are listed. */
const maxFieldCount = 20;

/** Returns the name of a field: that of each item of a list is the same. */
function fieldOf({ pointer }: JsonDifference): string {
  return pointer === "" ? "the request" : pointer.replace(/\/\d+(?=\/|$)/g, "/*");
}

/**
 * Returns as lines for a terminal in which fields requests differed whose recordings were chosen by their order: how many
 * requests for each field, and the first of them.
 */
export function describeByOrder(reports: readonly { test: string; accepted: readonly AcceptedRequest[] }[]): string[] {
  const fields = new Map<string, { count: number; first: string }>();
  let count = 0;
  for (const { test, accepted } of reports) {
    for (const { file, differences, isByOrder } of accepted) {
      if (!isByOrder) continue;
      count += 1;
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
  const shown = sorted.slice(0, maxFieldCount);
  return [
    `  played by order although the request differs: ${count}`,
    ...shown.map(([field, each]) => `    ${field} (${each.count}): ${each.first}`),
    ...(sorted.length > shown.length ? [`    and ${sorted.length - shown.length} more fields`] : []),
  ];
}
