import { blockedScore } from "#lib/contract/blocked-content";
import type { Database } from "#lib/platform/database/index";
import { Prisma } from "#prisma/generated/client";

/** What the search knows of a vendor. `summary` is that of its newest report; null without one. */
export type VendorText = { slug: string; name: string; domain: string; category: string; summary: string | null };

/**
 * Returns the vendors that no account owns, the most recently changed first. The report of one whose latest version is
 * withheld from models is left out, because models read search results.
 */
export async function findVendorTexts(client: Database, limit: number): Promise<VendorText[]> {
  return client.$queryRaw<VendorText[]>(Prisma.sql`
    SELECT v.slug, v.name, v.domain, v.category::text, r.summary
    FROM (
      SELECT * FROM vendors WHERE account_id IS NULL
      ORDER BY latest_diff_id DESC NULLS LAST, latest_snapshot_id DESC NULLS LAST, slug LIMIT ${limit}
    ) v
    LEFT JOIN snapshots s ON s.id = v.latest_snapshot_id
    LEFT JOIN LATERAL (SELECT summary FROM reports WHERE vendor_id = v.id ORDER BY id DESC LIMIT 1) r
      ON COALESCE(s.security_score, 0) < ${blockedScore}
    ORDER BY v.slug`);
}
