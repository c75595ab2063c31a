import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { processSingleton } from "#lib/platform/process-singleton";
import { type Stats, vendorCategories, vendorStatuses } from "./schemas";
import { countVendors, measureHistory } from "./store";

/** Lifetime of a cached result: counting a million snapshots takes most of a second. */
const maxAgeMs = 10_000;

type CachedStats = { stats: Promise<Stats>; countedMs: number };

const cache = processSingleton("stats", () => new WeakMap<Database, CachedStats>());

type VendorCount = Awaited<ReturnType<typeof countVendors>>[number];

function sum(groups: readonly VendorCount[]): number {
  return groups.reduce((total, { count }) => total + count, 0);
}

/** Returns a count for each name, including those with a count of 0. */
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

/** Returns the statistics, up to `maxAgeMs` old. Concurrent calls share one count per process; failures are not cached. */
export async function getStats({ database, clock }: { database: Database; clock: Clock }): Promise<Stats> {
  const last = cache.get(database);
  if (last && clock.monotonicMs() - last.countedMs < maxAgeMs) return last.stats;
  const next: CachedStats = { stats: countStats(database), countedMs: Number.POSITIVE_INFINITY };
  cache.set(database, next);
  next.stats.then(
    () => {
      next.countedMs = clock.monotonicMs();
    },
    () => cache.delete(database),
  );
  return next.stats;
}
