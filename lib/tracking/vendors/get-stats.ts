import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { processSingleton } from "#lib/platform/process-singleton";
import { type Stats, vendorCategories, vendorStatuses } from "./schemas";
import { countVendors, measureHistory } from "./store";

/** How long counts are given out again: counting a million snapshots takes a good part of a second. */
const maxAgeMs = 10_000;

type Counted = { stats: Promise<Stats>; countedMs: number };

const counted = processSingleton("stats", () => new WeakMap<Database, Counted>());

type VendorCount = Awaited<ReturnType<typeof countVendors>>[number];

function sum(groups: readonly VendorCount[]): number {
  return groups.reduce((total, { count }) => total + count, 0);
}

/** A number for each name, those of which there is nothing included. */
function breakdown<Name extends string>(
  names: readonly Name[],
  countOf: (name: Name) => number,
): { [Key in Name]: number } {
  return Object.fromEntries(names.map((name) => [name, countOf(name)])) as { [Key in Name]: number };
}

async function countStats(client: Database): Promise<Stats> {
  const [groups, { snapshots, diffs, byteSize }] = await Promise.all([countVendors(client), measureHistory(client)]);
  const active = groups.filter(({ status }) => status === "active");
  return {
    vendors: sum(active),
    snapshots,
    diffs,
    total_bytes_tracked: byteSize,
    category_breakdown: breakdown(vendorCategories, (name) => sum(active.filter(({ category }) => category === name))),
    status_breakdown: breakdown(vendorStatuses, (name) => sum(groups.filter(({ status }) => status === name))),
  };
}

/**
 * What is tracked, in numbers, up to `maxAgeMs` old. However many ask at once, a process counts once; a count that
 * failed is not kept.
 */
export function getStats({ database, clock }: { database: Database; clock: Clock }): Promise<Stats> {
  const last = counted.get(database);
  if (last && clock.monotonicMs() - last.countedMs < maxAgeMs) return last.stats;
  const count: Counted = { stats: countStats(database), countedMs: Number.POSITIVE_INFINITY };
  counted.set(database, count);
  count.stats.then(
    () => {
      count.countedMs = clock.monotonicMs();
    },
    () => counted.delete(database),
  );
  return count.stats;
}
