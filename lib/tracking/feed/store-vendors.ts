import type { Database } from "#lib/platform/database/index";
import { isVisibleToAccount, visibleTo } from "#lib/tracking/vendor-access/index";
import { slugOf, type VendorSummary } from "#lib/tracking/vendors/index";
import { Prisma } from "#prisma/generated/client";

/** A vendor whose changes are listed. */
type FollowedVendor = VendorSummary & { id: string; createdAt: Date; isFetched: boolean; lastFetchedAt: Date | null };

/** Returns a vendor by its slug; null if there is none or an account other than `accountId` owns it. */
export async function findFollowedVendor(
  client: Database,
  slug: string,
  accountId: string | null = null,
): Promise<FollowedVendor | null> {
  const [vendor] = await client.$queryRaw<FollowedVendor[]>(Prisma.sql`
    SELECT id, name, slug, domain, category::text, created_at AS "createdAt",
      latest_snapshot_id IS NOT NULL AS "isFetched", last_fetched_at AS "lastFetchedAt"
    FROM vendors WHERE slug = ${slug} AND ${isVisibleToAccount(accountId)}`);
  return vendor ?? null;
}

/** Most vendors that a text is taken for. */
const maxSuggestionCount = 5;

/**
 * Returns the vendors that are visible to an account and whose slugs a text has, or several between commas, whatever the case
 * and the marks between words: "Open AI" finds `openai` and `open-ai`. Only the index of the slugs is read.
 */
export async function findBySlugs(
  client: Database,
  text: string,
  accountId: string | null,
): Promise<Pick<VendorSummary, "name" | "slug">[]> {
  const slugs = text.split(",").flatMap((part) => [slugOf(part), slugOf(part).replaceAll("-", "")]);
  return client.vendor.findMany({
    where: { slug: { in: slugs }, ...visibleTo(accountId) },
    orderBy: { slug: "asc" },
    take: maxSuggestionCount,
    select: { name: true, slug: true },
  });
}
