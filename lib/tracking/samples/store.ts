import type { Database } from "#lib/platform/database/index";

/** State of an earlier seeding: when the first sample was inserted, and the time of each one's last fetch (0: none). */
type SeededSamples = { createdAtMs: number; lastFetchMs: ReadonlyMap<string, number> };

/** Vendors of these slugs that are not samples are left out. */
export async function findSeededSamples(client: Database, slugs: readonly string[]): Promise<SeededSamples> {
  const rows = await client.vendor.findMany({
    where: { slug: { in: [...slugs] }, origin: "sample" },
    select: {
      slug: true,
      createdAt: true,
      lastFetchedAt: true,
      fetches: { select: { createdAt: true }, orderBy: { createdAt: "desc" }, take: 1 },
    },
  });
  return {
    createdAtMs: Math.min(...rows.map(({ createdAt }) => createdAt.getTime())),
    // The newest record may be of a failed fetch, which `lastFetchedAt` does not count, but old records are pruned.
    lastFetchMs: new Map(
      rows.map(({ slug, lastFetchedAt, fetches: [last] }) => [
        slug,
        Math.max(lastFetchedAt?.getTime() ?? 0, last?.createdAt.getTime() ?? 0),
      ]),
    ),
  };
}
