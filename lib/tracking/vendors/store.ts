import type { Database } from "#lib/platform/database/index";
import { type SnapshotMetaRow, snapshotMetaColumns } from "#lib/tracking/snapshots/index";
import { categoryOf } from "./category";
import type { VendorCategory, VendorSearchQuery, VendorStatus, VendorSummary } from "./schemas";

const summaryColumns = { name: true, slug: true, domain: true, category: true } as const;

/** Vendors that everybody sees. */
const everybodys = { accountId: null };

/** In `LIKE`, `%` and `_` stand for anything, unless a backslash says that they stand for themselves. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Active vendors by slug, with what is known of their latest snapshots. */
export async function findActiveVendors(
  client: Database,
  limit: number,
): Promise<(VendorSummary & { latestSnapshot: SnapshotMetaRow | null })[]> {
  const vendors = await client.vendor.findMany({
    where: { ...everybodys, status: "active" },
    orderBy: { slug: "asc" },
    take: limit,
    select: { ...summaryColumns, latestSnapshot: { select: snapshotMetaColumns } },
  });
  return vendors.map((vendor) => ({ ...vendor, category: categoryOf(vendor.category) }));
}

/**
 * Vendors that fit all the filters, by slug. Names are compared with the letters of all languages, whatever the
 * database's own locale is.
 */
export async function findVendors(
  client: Database,
  { q = "", category, status, limit, offset }: VendorSearchQuery,
): Promise<(VendorSummary & { status: VendorStatus })[]> {
  const part = `%${escapeLike(q)}%`;
  const only = category ?? null;
  return client.$queryRaw<(VendorSummary & { status: VendorStatus })[]>`
    SELECT name, slug, domain, category, status FROM vendors
    WHERE account_id IS NULL AND status = ${status}::vendor_status
      AND (${only}::vendor_category IS NULL OR category = ${only}::vendor_category)
      AND (name COLLATE "und-x-icu" ILIKE ${part} OR slug ILIKE ${part} OR domain ILIKE ${part})
    ORDER BY slug LIMIT ${limit} OFFSET ${offset}`;
}

/** A vendor that everybody sees. */
export async function findVendor(client: Database, slug: string) {
  const vendor = await client.vendor.findUnique({
    where: { slug, ...everybodys },
    select: { ...summaryColumns, id: true, status: true, llmsTxtUrl: true, llmsFullTxtUrl: true },
  });
  return vendor && { ...vendor, category: categoryOf(vendor.category) };
}

/** Whose a vendor is. */
export async function findVendorAccess(client: Database, slug: string): Promise<{ accountId: string | null } | null> {
  return client.vendor.findUnique({ where: { slug }, select: { accountId: true } });
}

/** How many vendors that everybody sees there are of each category and status; those of which there are any. */
export async function countVendors(
  client: Database,
): Promise<{ category: VendorCategory; status: VendorStatus; count: number }[]> {
  const groups = await client.vendor.groupBy({ by: ["category", "status"], where: everybodys, _count: true });
  return groups.map(({ category, status, _count: count }) => ({ category: categoryOf(category), status, count }));
}

/** Snapshots and diffs of vendors that everybody sees, and the bytes of the snapshots' contents before compression. */
export async function measureHistory(
  client: Database,
): Promise<{ snapshots: number; diffs: number; byteSize: number }> {
  const [row] = await client.$queryRaw<[{ snapshots: bigint; diffs: bigint; byteSize: bigint }]>`
    WITH seen AS MATERIALIZED (SELECT id FROM vendors WHERE account_id IS NULL)
    SELECT count(*) AS snapshots, COALESCE(sum(byte_size), 0)::bigint AS "byteSize",
      (SELECT count(*) FROM diffs WHERE vendor_id IN (SELECT id FROM seen)) AS diffs
    FROM snapshots WHERE vendor_id IN (SELECT id FROM seen)`;
  return { snapshots: Number(row.snapshots), diffs: Number(row.diffs), byteSize: Number(row.byteSize) };
}
