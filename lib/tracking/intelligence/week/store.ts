import type { Database } from "#lib/platform/database/index";

/** The newest reports of changes of public vendors since then. */
export async function findChangesSince(client: Database, since: Date, limit: number) {
  return client.report.findMany({
    where: { diffId: { not: null }, createdAt: { gte: since }, vendor: { isPublic: true, accountId: null } },
    select: {
      ...{ diffId: true, summary: true, significance: true, categories: true, createdAt: true },
      vendor: { select: { name: true, slug: true, domain: true } },
    },
    orderBy: { id: "desc" },
    take: limit,
  });
}
