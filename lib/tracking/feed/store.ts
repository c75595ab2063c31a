import type { Database } from "#lib/platform/database/index";
import type { SnapshotMetaRow } from "#lib/tracking/snapshots/index";
import type { VendorSummary } from "#lib/tracking/vendors/index";
import { Prisma } from "#prisma/generated/client";

/** Which vendors a feed is about: those that a caller may see, under the filters of its request. */
export type FeedFilter = {
  publicOnly: boolean;
  /** The account whose own vendors are seen beside everybody's. */
  accountId: string | null;
  slug?: string | undefined;
  fetchedAfter?: Date | undefined;
};

type DiffRow = { linesAdded: number; linesRemoved: number; diffAt: Date; compressedText: Uint8Array | null };
type NoDiffRow = { [Name in keyof DiffRow]: null };

/** A vendor with its latest snapshot, and its latest diff where the tier's history reaches it. */
export type FetchedRow = VendorSummary & { snapshotId: string } & SnapshotMetaRow & (DiffRow | NoDiffRow);
/** A vendor that was never fetched. */
type UnfetchedRow = VendorSummary & { vendorId: string; snapshotId: null };
export type FeedRow = FetchedRow | UnfetchedRow;

function matches({ publicOnly, accountId, slug, fetchedAfter }: FeedFilter): Prisma.Sql {
  const conditions = [
    accountId === null
      ? Prisma.sql`account_id IS NULL`
      : Prisma.sql`(account_id IS NULL OR account_id = ${accountId}::uuid)`,
    ...(publicOnly ? [Prisma.sql`is_public`] : []),
    ...(slug === undefined ? [] : [Prisma.sql`slug = ${slug}`]),
    // An ingestion writes this together with the latest snapshot's fetched_at, so that no snapshot has to be read.
    ...(fetchedAfter ? [Prisma.sql`last_fetched_at > ${fetchedAfter}`] : []),
  ];
  return Prisma.join(conditions, " AND ");
}

type FetchedOptions = {
  /** Only snapshots with ids before it, and none where it is the id of a vendor; undefined: from the newest on. */
  cursor: string | undefined;
  take: number;
  /** Diffs from before it are left out; null: none is. */
  historyStart: Date | null;
  withDiffText: boolean;
};

/** Vendors with a snapshot, the newest snapshot first. */
export async function findFetched(
  client: Database,
  filter: FeedFilter,
  { cursor, take, historyStart, withDiffText }: FetchedOptions,
): Promise<FetchedRow[]> {
  const position =
    cursor === undefined
      ? Prisma.sql`IS NOT NULL`
      : Prisma.sql`< ${cursor}::uuid AND NOT EXISTS (SELECT FROM vendors WHERE id = ${cursor}::uuid)`;
  const inHistory = historyStart ? Prisma.sql`AND created_at >= ${historyStart}` : Prisma.empty;
  const diffText = withDiffText ? Prisma.sql`d.compressed_text` : Prisma.sql`NULL::bytea`;
  // The page is cut before anything is joined to it, and LIMIT 1 makes each join a look-up by id: a planner that is free
  // to merge reads the history that lies between the page's snapshots.
  return client.$queryRaw<FetchedRow[]>(Prisma.sql`
    SELECT v.name, v.slug, v.domain, v.category::text, s.id AS "snapshotId", s.content_hash AS "contentHash",
      s.byte_size AS "byteSize", s.line_count AS "lineCount", s.link_count AS "linkCount", s.fetched_at AS "fetchedAt",
      d.lines_added AS "linesAdded", d.lines_removed AS "linesRemoved", d.created_at AS "diffAt",
      ${diffText} AS "compressedText"
    FROM (
      SELECT name, slug, domain, category, latest_snapshot_id, latest_diff_id FROM vendors
      WHERE ${matches(filter)} AND latest_snapshot_id ${position}
      ORDER BY latest_snapshot_id DESC LIMIT ${take}
    ) v
    CROSS JOIN LATERAL (SELECT * FROM snapshots WHERE id = v.latest_snapshot_id LIMIT 1) s
    LEFT JOIN LATERAL (SELECT * FROM diffs WHERE id = v.latest_diff_id ${inHistory} LIMIT 1) d ON true
    ORDER BY v.latest_snapshot_id DESC`);
}

/** Vendors without a snapshot by slug, those after `afterSlug`. */
export async function findUnfetched(
  client: Database,
  filter: FeedFilter,
  { afterSlug, take }: { afterSlug: string | null; take: number },
): Promise<UnfetchedRow[]> {
  const position = afterSlug === null ? Prisma.empty : Prisma.sql`AND slug > ${afterSlug}`;
  return client.$queryRaw<UnfetchedRow[]>(Prisma.sql`
    SELECT name, slug, domain, category::text, id AS "vendorId", NULL AS "snapshotId" FROM vendors
    WHERE ${matches(filter)} AND latest_snapshot_id IS NULL ${position}
    ORDER BY slug LIMIT ${take}`);
}

/** How many vendors there are under a filter, and the newest fetch of one. */
export async function summarizeVendors(
  client: Database,
  filter: FeedFilter,
): Promise<{ vendorCount: number; newestFetchAt: Date | null }> {
  const [summary] = await client.$queryRaw<[{ vendorCount: number; newestFetchAt: Date | null }]>(Prisma.sql`
    SELECT count(*)::int AS "vendorCount", max(last_fetched_at) AS "newestFetchAt" FROM vendors
    WHERE ${matches(filter)}${filter.fetchedAfter ? Prisma.sql` AND latest_snapshot_id IS NOT NULL` : Prisma.empty}`);
  return summary;
}

/** The slug of a vendor, whoever may see it; null where the id is no vendor's. */
export async function findVendorSlug(client: Database, vendorId: string): Promise<string | null> {
  const [vendor] = await client.$queryRaw<{ slug: string }[]>(
    Prisma.sql`SELECT slug FROM vendors WHERE id = ${vendorId}::uuid`,
  );
  return vendor?.slug ?? null;
}
