import type { Database } from "#lib/platform/database/index";
import { isOfCalls } from "#lib/tracking/operations/index";
import { visibleTo } from "#lib/tracking/vendor-access/index";
import { Prisma, type Webhook } from "#prisma/generated/client";

/** Filters of changes as they are stored; empty or null: every change. Operations are calls, written `POST host/path`. */
export type StoredFilters = Pick<
  Webhook,
  "filterVendors" | "filterModels" | "filterOperations" | "filterCategories" | "minSignificance"
>;

/**
 * Returns the condition that a change matches the models and operations of a webhook or digest: one of either has changed, as
 * significantly as its filters want and `minimum` says.
 */
export function matchesSubjects(table: "webhooks" | "digests", diffId: Prisma.Sql, minimum = 1): Prisma.Sql {
  const filters = Prisma.raw(table);
  const isSignificant = Prisma.sql`significance >= greatest(${filters}.min_significance, ${minimum}::smallint)`;
  return Prisma.sql`(cardinality(${filters}.filter_models || ${filters}.filter_operations) = 0
    OR EXISTS (SELECT 1 FROM model_changes m
      WHERE m.diff_id = ${diffId} AND m.names && ${filters}.filter_models AND m.${isSignificant})
    OR EXISTS (SELECT 1 FROM operation_changes o
      WHERE o.diff_id = ${diffId} AND o.${isSignificant} AND ${isOfCalls(Prisma.sql`${filters}.filter_operations`)}))`;
}

/** Returns those of the slugs that belong to a vendor of everybody or of an account. */
export async function findVisibleSlugs(
  client: Database,
  accountId: string | null,
  slugs: readonly string[],
): Promise<Set<string>> {
  const found = await client.vendor.findMany({
    where: { slug: { in: [...slugs] }, ...visibleTo(accountId) },
    select: { slug: true },
  });
  return new Set(found.map(({ slug }) => slug));
}
