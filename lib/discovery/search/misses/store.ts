import type { Database } from "#lib/platform/database/index";
import { Prisma } from "#prisma/generated/client";

/** Most stored queries; further ones are not stored until some are pruned. */
export const maxStoredCount = 2_000;
/** Queries that pruning keeps at most, the most frequent ones. */
export const keptCount = 1_000;

/** A query without results: its words, how often it was searched, and on which UTC day last. */
export type SearchMiss = { query: string; count: number; lastDay: Date };

/** Adds counts of queries searched on a day. */
export async function addMisses(
  client: Database,
  { counts, day }: { counts: ReadonlyMap<string, number>; day: Date },
): Promise<void> {
  const queries = [...counts.keys()].sort();
  const numbers = queries.map((query) => counts.get(query) as number);
  const today = day.toISOString().slice(0, 10);
  await client.$executeRaw(Prisma.sql`
    WITH given AS (SELECT * FROM unnest(${queries}::text[], ${numbers}::int[]) AS one(query, count)),
    updated AS (
      UPDATE search_misses stored SET count = stored.count + given.count, last_day = ${today}::date
      FROM given WHERE stored.query = given.query RETURNING stored.query)
    INSERT INTO search_misses (query, count, last_day)
    SELECT query, count, ${today}::date FROM given WHERE query NOT IN (SELECT query FROM updated)
    LIMIT GREATEST(0, ${maxStoredCount}::int - (SELECT count(*)::int FROM search_misses))
    ON CONFLICT (query) DO UPDATE SET count = search_misses.count + excluded.count, last_day = excluded.last_day`);
}

/** Returns the most frequent queries without results. */
export async function findMisses(client: Database, limit: number): Promise<SearchMiss[]> {
  return client.searchMiss.findMany({
    orderBy: [{ count: "desc" }, { lastDay: "desc" }, { query: "asc" }],
    take: limit,
  });
}

/** Deletes queries last searched before a day, and all but the `keptCount` most frequent ones. Returns how many. */
export async function pruneMisses(client: Database, { before }: { before: Date }): Promise<number> {
  return client.$executeRaw(Prisma.sql`
    DELETE FROM search_misses WHERE last_day < ${before.toISOString().slice(0, 10)}::date OR query IN (
      SELECT query FROM search_misses ORDER BY count DESC, last_day DESC, query OFFSET ${keptCount})`);
}

/** Deletes all. Returns how many. */
export async function clearMisses(client: Database): Promise<number> {
  return (await client.searchMiss.deleteMany()).count;
}
