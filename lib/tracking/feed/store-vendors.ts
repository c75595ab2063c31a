import type { Database } from "#lib/platform/database/index";
import { isVisibleToAccount, visibleTo } from "#lib/tracking/vendor-access/index";
import { slugOf, type VendorSummary } from "#lib/tracking/vendors/index";
import { Prisma } from "#prisma/generated/client";

/** A vendor whose changes are listed. */
type FollowedVendor = VendorSummary & { id: string; createdAt: Date; isFetched: boolean; lastFetchedAt: Date | null };

/** Returns the vendors with these slugs, but those of accounts other than `accountId`. */
export async function findFollowedVendors(
  client: Database,
  slugs: readonly string[],
  accountId: string | null = null,
): Promise<FollowedVendor[]> {
  return client.$queryRaw<FollowedVendor[]>(Prisma.sql`
    SELECT id, name, slug, domain, category::text, created_at AS "createdAt",
      latest_snapshot_id IS NOT NULL AS "isFetched", last_fetched_at AS "lastFetchedAt"
    FROM vendors WHERE slug = ANY(${[...slugs]}::text[]) AND ${isVisibleToAccount(accountId)}`);
}

/** Most vendors that a text is taken for. */
const maxSuggestionCount = 5;

/**
 * Returns the vendors that are visible to an account and whose slugs texts have, whatever the case and the marks between words:
 * "Open AI" finds `openai` and `open-ai`. Only the index of the slugs is read.
 */
export async function findBySlugs(
  client: Database,
  texts: readonly string[],
  accountId: string | null,
): Promise<Pick<VendorSummary, "name" | "slug">[]> {
  const slugs = texts.flatMap((text) => [slugOf(text), slugOf(text).replaceAll("-", "")]);
  return client.vendor.findMany({
    where: { slug: { in: slugs }, ...visibleTo(accountId) },
    orderBy: { slug: "asc" },
    take: maxSuggestionCount,
    select: { name: true, slug: true },
  });
}
