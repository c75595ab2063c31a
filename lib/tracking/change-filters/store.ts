import type { Database } from "#lib/platform/database/index";
import { Prisma } from "#prisma/generated/client";

/** Filters of changes as they are stored; empty or null: every change. */
export type StoredFilters = {
  filterVendors: string[];
  filterModels: string[];
  filterCategories: string[];
  minSignificance: number | null;
};

/**
 * Returns the condition that a change matches the models of a webhook or digest: one of them has changed, as significantly
 * as its filters want and `minimum` says.
 */
export function matchesModels(table: "webhooks" | "digests", diffId: Prisma.Sql, minimum = 1): Prisma.Sql {
  const filters = Prisma.raw(table);
  return Prisma.sql`(cardinality(${filters}.filter_models) = 0 OR EXISTS (
    SELECT 1 FROM model_changes m WHERE m.diff_id = ${diffId} AND m.names && ${filters}.filter_models
      AND m.significance >= greatest(${filters}.min_significance, ${minimum}::smallint)))`;
}

type Scope = {
  /** The account whose own vendors are included too. */
  accountId: string | null;
  /** Whether only those vendors of everybody count that the free tier's feed covers. */
  isPublicOnly: boolean;
};

/** Returns those of the slugs that belong to a vendor of everybody or of an account. */
export async function findVisibleSlugs(
  client: Database,
  { accountId, isPublicOnly }: Scope,
  slugs: readonly string[],
): Promise<Set<string>> {
  const everybodys = { accountId: null, ...(isPublicOnly && { isPublic: true }) };
  const found = await client.vendor.findMany({
    where: { slug: { in: [...slugs] }, OR: [everybodys, ...(accountId === null ? [] : [{ accountId }])] },
    select: { slug: true },
  });
  return new Set(found.map(({ slug }) => slug));
}
