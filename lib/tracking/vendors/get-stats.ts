import type { Caller } from "#lib/accounts/keys/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { processSingleton } from "#lib/platform/process-singleton";
import { ownAccountOf } from "#lib/tracking/vendor-access/index";
import { type Stats, vendorCategories, vendorStatuses } from "./schemas";
import { countVendorFacts, countVendors, measureHistory, type VendorFacts } from "./store";

/** Lifetime of a cached result: counting a million snapshots takes most of a second. */
const maxAgeMs = 10_000;

type Counts = { stats: Stats; facts: VendorFacts };
type CachedCounts = { counts: Promise<Counts>; countedMs: number };

const cache = processSingleton("stats", () => new WeakMap<Database, CachedCounts>());

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

/** Counts the vendors of an account, or with null those that no account owns. */
async function countStats(client: Database, accountId: string | null): Promise<Stats> {
  const [groups, { snapshots, diffs, byteSize }] = await Promise.all([
    countVendors(client, accountId),
    measureHistory(client, accountId),
  ]);
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

async function countAll(client: Database): Promise<Counts> {
  const [stats, facts] = await Promise.all([countStats(client, null), countVendorFacts(client)]);
  return { stats, facts };
}

type CountContext = { database: Database; clock: Clock };

/**
 * Returns the counts of everyone's vendors, up to `maxAgeMs` old. Concurrent calls share one count per process; failures are
 * not cached.
 */
function getCounts({ database, clock }: CountContext): Promise<Counts> {
  const last = cache.get(database);
  if (last && clock.monotonicMs() - last.countedMs < maxAgeMs) return last.counts;
  const next: CachedCounts = { counts: countAll(database), countedMs: Number.POSITIVE_INFINITY };
  cache.set(database, next);
  next.counts.then(
    () => {
      next.countedMs = clock.monotonicMs();
    },
    () => cache.delete(database),
  );
  return next.counts;
}

/** Adds two objects of counts, which may contain further ones. */
function addCounts<Counts extends object>(one: Counts, other: Counts): Counts {
  const added = Object.entries(one).map(([name, count]) => {
    const more = other[name as keyof Counts];
    return [name, typeof count === "number" ? count + Number(more) : addCounts(count, more as typeof count)];
  });
  return Object.fromEntries(added);
}

/** Returns the statistics of the vendors that the caller sees; those of everyone's vendors are up to `maxAgeMs` old. */
export async function getStats({ caller, ...context }: CountContext & { caller: Caller }): Promise<Stats> {
  const accountId = ownAccountOf(caller);
  const everyones = getCounts(context).then(({ stats }) => stats);
  if (accountId === null) return everyones;
  return addCounts(...(await Promise.all([everyones, countStats(context.database, accountId)])));
}

/** Returns the facts that only pages show, as old as the statistics. */
export async function getVendorFacts(context: CountContext): Promise<VendorFacts> {
  return (await getCounts(context)).facts;
}
