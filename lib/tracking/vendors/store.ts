import type { Database } from "#lib/platform/database/index";
import { type SnapshotMetaRow, snapshotMetaColumns } from "#lib/tracking/snapshots/index";
import {
  categoryOf,
  type VendorCategory,
  type VendorSearchQuery,
  type VendorStatus,
  type VendorSummary,
} from "./schemas";

const summaryColumns = { name: true, slug: true, domain: true, category: true } as const;

/** Vendors that are not owned by an account. */
const publicScope = { accountId: null };

/** Escapes the wildcards of `LIKE`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Returns active vendors by slug, with the metadata of their latest snapshots. */
export async function findActiveVendors(
  client: Database,
  limit: number,
): Promise<(VendorSummary & { latestSnapshot: SnapshotMetaRow | null })[]> {
  const vendors = await client.vendor.findMany({
    where: { ...publicScope, status: "active" },
    orderBy: { slug: "asc" },
    take: limit,
    select: { ...summaryColumns, latestSnapshot: { select: snapshotMetaColumns } },
  });
  return vendors.map((vendor) => ({ ...vendor, category: categoryOf(vendor.category) }));
}

/** Returns vendors that match all filters, by slug. Names are compared by Unicode rules, not the database's locale. */
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

/** Returns a public-scope vendor. */
export async function findVendor(client: Database, slug: string) {
  const vendor = await client.vendor.findUnique({
    where: { slug, ...publicScope },
    select: { ...summaryColumns, id: true, status: true, llmsTxtUrl: true, llmsFullTxtUrl: true },
  });
  return vendor && { ...vendor, category: categoryOf(vendor.category) };
}

/** Returns the number of public-scope vendors of each category and status that has any. */
export async function countVendors(
  client: Database,
): Promise<{ category: VendorCategory; status: VendorStatus; count: number }[]> {
  const groups = await client.vendor.groupBy({ by: ["category", "status"], where: publicScope, _count: true });
  return groups.map(({ category, status, _count: count }) => ({ category: categoryOf(category), status, count }));
}

/** Returns the number of snapshots and diffs of public-scope vendors, and the uncompressed size of the snapshots. */
export async function measureHistory(
  client: Database,
): Promise<{ snapshots: number; diffs: number; byteSize: number }> {
  const [row] = await client.$queryRaw<[{ snapshots: bigint; diffs: bigint; byteSize: bigint }]>`
    WITH visible AS MATERIALIZED (SELECT id FROM vendors WHERE account_id IS NULL)
    SELECT count(*) AS snapshots, COALESCE(sum(byte_size), 0)::bigint AS "byteSize",
      (SELECT count(*) FROM diffs WHERE vendor_id IN (SELECT id FROM visible)) AS diffs
    FROM snapshots WHERE vendor_id IN (SELECT id FROM visible)`;
  return { snapshots: Number(row.snapshots), diffs: Number(row.diffs), byteSize: Number(row.byteSize) };
}
