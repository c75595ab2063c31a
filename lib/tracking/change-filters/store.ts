import type { Database } from "#lib/platform/database/index";

/** Filters of changes as they are stored; empty or null: every change. */
export type StoredFilters = { filterVendors: string[]; filterCategories: string[]; minSignificance: number | null };

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
