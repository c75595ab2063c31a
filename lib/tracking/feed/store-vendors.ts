import type { Database } from "#lib/platform/database/index";
import { isVisibleToAccount } from "#lib/tracking/vendor-access/index";
import { slugOf, type VendorSummary } from "#lib/tracking/vendors/index";
import { Prisma } from "#prisma/generated/client";

/** A vendor whose changes are listed. */
type FollowedVendor = VendorSummary & { id: string; createdAt: Date; isFetched: boolean };

/** Returns a vendor by its slug; null if there is none or an account other than `accountId` owns it. */
export async function findFollowedVendor(
  client: Database,
  slug: string,
  accountId: string | null = null,
): Promise<FollowedVendor | null> {
  const [vendor] = await client.$queryRaw<FollowedVendor[]>(Prisma.sql`
    SELECT id, name, slug, domain, category::text, created_at AS "createdAt",
      latest_snapshot_id IS NOT NULL AS "isFetched"
    FROM vendors WHERE slug = ${slug} AND ${isVisibleToAccount(accountId)}`);
  return vendor ?? null;
}

/** Most vendors that a name is taken for. */
const maxNamesakeCount = 5;

/**
 * Returns the vendors that are visible to an account and of which a text has the name or slug, or several between commas,
 * whatever the case and the marks between words.
 */
export async function findNamesakes(
  client: Database,
  text: string,
  accountId: string | null,
): Promise<Pick<VendorSummary, "name" | "slug">[]> {
  const keys = text.split(",").flatMap((part) => slugOf(part).replaceAll("-", "") || []);
  if (keys.length === 0) return [];
  return client.$queryRaw(Prisma.sql`
    SELECT name, slug FROM vendors
    WHERE ${isVisibleToAccount(accountId)}
      AND (replace(slug, '-', '') IN (${Prisma.join(keys)})
        OR regexp_replace(lower(name), '[^a-z0-9]', '', 'g') IN (${Prisma.join(keys)}))
    ORDER BY slug LIMIT ${maxNamesakeCount}`);
}
