import type { Database } from "#lib/platform/database/index";
import type { SnapshotMetaRow } from "#lib/tracking/snapshots/index";
import type { VendorSummary } from "#lib/tracking/vendors/index";
import { Prisma } from "#prisma/generated/client";

/** Vendors in a feed: those visible to the caller that match the filters of the request. */
export type FeedFilter = {
  publicOnly: boolean;
  /** The account whose own vendors are included too. */
  accountId: string | null;
  slug?: string | undefined;
  fetchedAfter?: Date | undefined;
};

type DiffRow = { linesAdded: number; linesRemoved: number; diffAt: Date; compressedText: Uint8Array | null };
type NoDiffRow = { [Name in keyof DiffRow]: null };

/** A vendor with its latest snapshot, and its latest diff if that is within the tier's history. */
export type FetchedRow = VendorSummary &
  SnapshotMetaRow &
  (DiffRow | NoDiffRow) & {
    snapshotId: string;
    /** The highest security score of the snapshot and of the diff's two versions. */
    securityScore: number;
  };
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
    // Always equal to the latest snapshot's fetched_at, so no snapshot has to be read.
    ...(fetchedAfter ? [Prisma.sql`last_fetched_at > ${fetchedAfter}`] : []),
  ];
  return Prisma.join(conditions, " AND ");
}

type FetchedOptions = {
  /** Only snapshots with smaller ids, and none if it is the id of a vendor; undefined: from the newest on. */
  cursor: string | undefined;
  take: number;
  /** Older diffs are left out; null: none are. */
  historyStart: Date | null;
  withDiffText: boolean;
};

/** Returns vendors with a snapshot, newest snapshot first. */
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
  // The page is limited before the joins, and LIMIT 1 forces lookups by id; otherwise the planner may choose a merge join
  // that reads all history between the page's snapshots.
  return client.$queryRaw<FetchedRow[]>(Prisma.sql`
    SELECT v.name, v.slug, v.domain, v.category::text, s.id AS "snapshotId", s.content_hash AS "contentHash",
      s.byte_size AS "byteSize", s.line_count AS "lineCount", s.link_count AS "linkCount", s.fetched_at AS "fetchedAt",
      d.lines_added AS "linesAdded", d.lines_removed AS "linesRemoved", d.created_at AS "diffAt",
      greatest(s.security_score, p.security_score) AS "securityScore", ${diffText} AS "compressedText"
    FROM (
      SELECT name, slug, domain, category, latest_snapshot_id, latest_diff_id FROM vendors
      WHERE ${matches(filter)} AND latest_snapshot_id ${position}
      ORDER BY latest_snapshot_id DESC LIMIT ${take}
    ) v
    CROSS JOIN LATERAL (SELECT * FROM snapshots WHERE id = v.latest_snapshot_id LIMIT 1) s
    LEFT JOIN LATERAL (SELECT * FROM diffs WHERE id = v.latest_diff_id ${inHistory} LIMIT 1) d ON true
    LEFT JOIN LATERAL (SELECT security_score FROM snapshots WHERE id = d.previous_snapshot_id LIMIT 1) p ON true
    ORDER BY v.latest_snapshot_id DESC`);
}

/** Returns vendors without a snapshot by slug, after `afterSlug`. */
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

/** Returns the number of vendors that match a filter, and the time of their newest fetch. */
export async function summarizeVendors(
  client: Database,
  filter: FeedFilter,
): Promise<{ vendorCount: number; newestFetchAt: Date | null }> {
  const [summary] = await client.$queryRaw<[{ vendorCount: number; newestFetchAt: Date | null }]>(Prisma.sql`
    SELECT count(*)::int AS "vendorCount", max(last_fetched_at) AS "newestFetchAt" FROM vendors
    WHERE ${matches(filter)}${filter.fetchedAfter ? Prisma.sql` AND latest_snapshot_id IS NOT NULL` : Prisma.empty}`);
  return summary;
}

/** Returns the slug of any vendor; null if no vendor has the id. */
export async function findVendorSlug(client: Database, vendorId: string): Promise<string | null> {
  const [vendor] = await client.$queryRaw<{ slug: string }[]>(
    Prisma.sql`SELECT slug FROM vendors WHERE id = ${vendorId}::uuid`,
  );
  return vendor?.slug ?? null;
}
