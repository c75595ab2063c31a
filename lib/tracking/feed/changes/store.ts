import type { Database } from "#lib/platform/database/index";
import type { VendorSummary } from "#lib/tracking/vendors/index";
import { Prisma } from "#prisma/generated/client";

/** Most changes in a feed. */
const maxChangeCount = 50;
/** Most changes of one vendor: as many as its detail shows publicly. */
const maxVendorChangeCount = 10;
/** Most added links, and most removed links, listed per change. */
const maxLinkCount = 25;

/** A change of a vendor's file. */
export type Change = VendorSummary & {
  id: string;
  llmsTxtUrl: string;
  linesAdded: number;
  linesRemoved: number;
  /** The first links; the counts below include all. */
  linksAdded: string[];
  linksRemoved: string[];
  linkCountAdded: number;
  linkCountRemoved: number;
  createdAt: Date;
};

/** A vendor whose changes anyone may follow. */
type FollowedVendor = VendorSummary & { id: string; createdAt: Date };

/** Returns a vendor by its slug; null if there is none or an account owns it. */
export async function findFollowedVendor(client: Database, slug: string): Promise<FollowedVendor | null> {
  const [vendor] = await client.$queryRaw<FollowedVendor[]>(Prisma.sql`
    SELECT id, name, slug, domain, category::text, created_at AS "createdAt" FROM vendors
    WHERE slug = ${slug} AND account_id IS NULL`);
  return vendor ?? null;
}

/**
 * Returns the newest changes of one vendor, or of all public vendors, newest first. The newest n changes are among those
 * of the n vendors that changed last, so no others are read. `LIMIT 1` forces a lookup by id; otherwise the planner may
 * choose a merge join that reads all diffs in between.
 */
export async function findChanges(client: Database, vendorId: string | null): Promise<Change[]> {
  const vendors =
    vendorId === null
      ? Prisma.sql`
          SELECT id FROM vendors WHERE is_public AND account_id IS NULL AND latest_diff_id IS NOT NULL
          ORDER BY latest_diff_id DESC LIMIT ${maxChangeCount}`
      : Prisma.sql`SELECT ${vendorId}::uuid AS id`;
  return client.$queryRaw<Change[]>(Prisma.sql`
    SELECT d.id, v.name, v.slug, v.domain, v.category::text, v.llms_txt_url AS "llmsTxtUrl",
      d.lines_added AS "linesAdded", d.lines_removed AS "linesRemoved", d.created_at AS "createdAt",
      d.links_added[1:${maxLinkCount}] AS "linksAdded", cardinality(d.links_added) AS "linkCountAdded",
      d.links_removed[1:${maxLinkCount}] AS "linksRemoved", cardinality(d.links_removed) AS "linkCountRemoved"
    FROM (
      SELECT own.id FROM (${vendors}) changed
      CROSS JOIN LATERAL (
        SELECT id FROM diffs WHERE vendor_id = changed.id ORDER BY id DESC LIMIT ${maxVendorChangeCount}
      ) own
      ORDER BY own.id DESC LIMIT ${maxChangeCount}
    ) newest
    CROSS JOIN LATERAL (SELECT * FROM diffs WHERE id = newest.id LIMIT 1) d
    JOIN vendors v ON v.id = d.vendor_id
    ORDER BY d.id DESC`);
}
