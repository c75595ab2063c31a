import type { Database } from "#lib/platform/database/index";

/** How far the samples are seeded: when their world was begun, and the time of each one's last fetch (0: none yet). */
export type SeededWorld = { createdAtMs: number; lastFetchOf: ReadonlyMap<string, number> };

/** Vendors of these slugs that are no samples are left out. */
export async function findLastFetches(client: Database, slugs: readonly string[]): Promise<SeededWorld> {
  const rows = await client.vendor.findMany({
    where: { slug: { in: [...slugs] }, origin: "sample" },
    select: {
      ...{ slug: true, createdAt: true, lastFetchedAt: true },
      fetches: { select: { createdAt: true }, orderBy: { createdAt: "desc" }, take: 1 },
    },
  });
  return {
    createdAtMs: Math.min(...rows.map(({ createdAt }) => createdAt.getTime())),
    // Records of failed fetches are the later ones in an outage; those of all are pruned some day.
    lastFetchOf: new Map(
      rows.map(({ slug, lastFetchedAt, fetches: [last] }) => [
        slug,
        Math.max(lastFetchedAt?.getTime() ?? 0, last?.createdAt.getTime() ?? 0),
      ]),
    ),
  };
}
