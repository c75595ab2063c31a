import * as z from "zod";
import type { Database } from "#lib/platform/database/index";
import { type SnapshotMetaRow, snapshotMetaColumns } from "#lib/tracking/snapshots/index";
import { isVisibleToAccount, visibleTo } from "#lib/tracking/vendor-access/index";
import { Prisma } from "#prisma/generated/client";
import type { DirectoryQuery } from "./pages/directory-query";
import {
  categoryOf,
  recentCount,
  type VendorCategory,
  type VendorSearchQuery,
  type VendorStatus,
  type VendorSummary,
} from "./schemas";

type Filters = Pick<DirectoryQuery, "q" | "category" | "status">;

/**
 * Whether a vendor's name, slug or domain has a text, in upper or lower case by Unicode rules, whatever the database's locale.
 * For the ASCII letters of most names, these rules are those of the collation "C", which takes a fifth of the time.
 */
function hasText(q: string): Prisma.Sql {
  if (q === "") return Prisma.sql`TRUE`;
  const part = Prisma.sql`lower(${q}::text COLLATE "und-x-icu") COLLATE "C"`;
  return Prisma.sql`(strpos(v.slug, ${part}) > 0 OR strpos(v.domain, ${part}) > 0
    OR strpos(CASE WHEN octet_length(v.name) = length(v.name) THEN lower(v.name COLLATE "C")
      ELSE lower(v.name COLLATE "und-x-icu") COLLATE "C" END, ${part}) > 0)`;
}

function matchesFilters({ q, category, status }: Filters): Prisma.Sql {
  return Prisma.sql`v.account_id IS NULL
    AND (${status}::vendor_status IS NULL OR v.status = ${status}::vendor_status)
    AND (${category}::vendor_category IS NULL OR v.category = ${category}::vendor_category)
    AND ${hasText(q)}`;
}

export type DirectoryRow = VendorSummary & {
  id: string;
  status: VendorStatus;
  lastFetchedAt: Date | null;
  isSample: boolean;
  byteSize: number | null;
};

/** Returns vendors that match the filters, most recently changed first or by slug, each with the number of all that match. */
export async function findDirectory(
  client: Database,
  { sort, ...filters }: DirectoryQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<(DirectoryRow & { count: number })[]> {
  const order =
    sort === "changed"
      ? Prisma.sql`v.latest_diff_id DESC NULLS LAST, v.latest_snapshot_id DESC NULLS LAST, v.slug`
      : Prisma.sql`v.slug`;
  const matches = matchesFilters(filters);
  return client.$queryRaw<(DirectoryRow & { count: number })[]>(Prisma.sql`
    SELECT v.id, v.name, v.slug, v.domain, v.category::text, v.status::text, v.last_fetched_at AS "lastFetchedAt",
      v.origin = 'sample' AS "isSample", s.byte_size AS "byteSize",
      (SELECT count(*)::int FROM vendors v WHERE ${matches}) AS count
    FROM (SELECT * FROM vendors v WHERE ${matches} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}) v
    LEFT JOIN LATERAL (SELECT byte_size FROM snapshots WHERE id = v.latest_snapshot_id LIMIT 1) s ON TRUE
    ORDER BY ${order}`);
}

/** A change in a vendor's timeline. */
export type VendorChange = {
  id: string;
  at: Date;
  linesAdded: number;
  linesRemoved: number;
  /** 1 to 5; null until the report is written. */
  significance: number | null;
};

/** Returns the `recentCount` latest changes of each vendor, newest first. */
export async function findRecentChanges(
  client: Database,
  vendorIds: readonly string[],
): Promise<(VendorChange & { vendorId: string })[]> {
  return client.$queryRaw(Prisma.sql`
    SELECT wanted.id AS "vendorId", d.id, d.created_at AS at, d.lines_added AS "linesAdded",
      d.lines_removed AS "linesRemoved", r.significance
    FROM unnest(${vendorIds}::uuid[]) AS wanted(id)
    CROSS JOIN LATERAL (
      SELECT * FROM diffs WHERE vendor_id = wanted.id ORDER BY id DESC LIMIT ${recentCount}
    ) d
    LEFT JOIN reports r ON r.diff_id = d.id
    ORDER BY d.id DESC`);
}

const findingsSchema = z.array(z.object({ detector: z.string(), points: z.number(), line: z.number() }));

/** A finding of a security detector, without the excerpt. */
export type ShownFinding = z.infer<typeof findingsSchema>[number];

/** Returns what a vendor's page shows in addition to its API detail; null for a vendor of another account. */
export async function findPageFacts(client: Database, slug: string, accountId: string | null) {
  const vendor = await client.vendor.findUnique({
    where: { slug, ...visibleTo(accountId) },
    select: {
      id: true,
      accountId: true,
      isPublic: true,
      createdAt: true,
      lastFetchedAt: true,
      origin: true,
      snapshotCount: true,
      latestSnapshot: { select: { securityFindings: true } },
      snapshots: { select: { id: true, createdAt: true }, orderBy: { id: "desc" }, take: recentCount },
      statusChanges: { select: { createdAt: true }, orderBy: { id: "desc" }, take: 1 },
    },
  });
  if (!vendor) return null;
  const { latestSnapshot, snapshots, snapshotCount, statusChanges, ...facts } = vendor;
  return {
    ...facts,
    findings: findingsSchema.parse(latestSnapshot?.securityFindings ?? []),
    firstSeenAt: new Map(snapshots.map(({ id, createdAt }) => [id, createdAt])),
    statusSince: statusChanges[0]?.createdAt ?? null,
    counts: { snapshots: snapshotCount, diffs: Math.max(0, snapshotCount - 1) },
  };
}

/** Returns vendors of everybody by name: the active ones, or those with one of the slugs. */
export async function findNames(client: Database, { slugs, limit }: { slugs?: readonly string[]; limit: number }) {
  return client.vendor.findMany({
    where: { accountId: null, ...(slugs ? { slug: { in: [...slugs] } } : { status: "active" as const }) },
    orderBy: [{ name: "asc" }, { slug: "asc" }],
    take: limit,
    select: { slug: true, name: true, reader: true },
  });
}

const summaryColumns = { name: true, slug: true, domain: true, category: true } as const;

/** Returns active vendors by slug, with the metadata of their latest snapshots. */
export async function findActiveVendors(
  client: Database,
  accountId: string | null,
  { limit, offset }: { limit: number; offset: number },
): Promise<(VendorSummary & { latestSnapshot: SnapshotMetaRow | null })[]> {
  const vendors = await client.vendor.findMany({
    where: { ...visibleTo(accountId), status: "active" },
    orderBy: { slug: "asc" },
    take: limit,
    skip: offset,
    select: { ...summaryColumns, latestSnapshot: { select: snapshotMetaColumns } },
  });
  return vendors.map((vendor) => ({ ...vendor, category: categoryOf(vendor.category) }));
}

/** Returns vendors that match all filters, by slug. */
export async function findVendors(
  client: Database,
  accountId: string | null,
  { q = "", category, status, limit, offset }: VendorSearchQuery,
): Promise<(VendorSummary & { status: VendorStatus })[]> {
  const only = category ?? null;
  return client.$queryRaw<(VendorSummary & { status: VendorStatus })[]>`
    SELECT name, slug, domain, category, status FROM vendors v
    WHERE ${isVisibleToAccount(accountId)} AND status = ${status}::vendor_status
      AND (${only}::vendor_category IS NULL OR category = ${only}::vendor_category)
      AND ${hasText(q)}
    ORDER BY slug LIMIT ${limit} OFFSET ${offset}`;
}

/** Returns a vendor that no account owns, or that the given account owns. */
export async function findVendor(client: Database, accountId: string | null, slug: string) {
  const vendor = await client.vendor.findUnique({
    where: { slug, ...visibleTo(accountId) },
    select: { ...summaryColumns, id: true, status: true, llmsTxtUrl: true, llmsFullTxtUrl: true, failingSince: true },
  });
  return vendor && { ...vendor, category: categoryOf(vendor.category) };
}

/** Vendors of a category and status, their snapshots and diffs, and the uncompressed size of the snapshots. */
export type VendorMeasure = {
  category: VendorCategory;
  status: VendorStatus;
  vendors: number;
  snapshots: number;
  diffs: number;
  bytes: number;
};

/**
 * Returns the measures of each category and status that has a vendor: of everyone's vendors, and of an account's. Between two
 * consecutive snapshots of a vendor there is one diff.
 */
export async function measureVendors(client: Database, accountId: string | null): Promise<VendorMeasure[]> {
  return client.$queryRaw<VendorMeasure[]>`
    SELECT category::text, status::text, count(*)::int AS vendors, sum(snapshot_count)::int AS snapshots,
      sum(greatest(snapshot_count - 1, 0))::int AS diffs, sum(snapshot_bytes)::float8 AS bytes
    FROM vendors WHERE ${isVisibleToAccount(accountId)} GROUP BY category, status`;
}

/** Facts about vendors that only pages show. */
export type VendorFacts = {
  /** Active vendors whose file was never stored. */
  unfetched: number;
  /** Sample vendors, whose files are made up. */
  samples: number;
  /** Vendors that the free tier's feed covers. */
  publicCount: number;
  /** The last fetch of any vendor but a sample; null before the first. */
  lastFetchedAt: Date | null;
};

/** Returns the facts about the public-scope vendors. */
export async function getVendorFacts({ database }: { database: Database }): Promise<VendorFacts> {
  const [facts] = await database.$queryRaw<[VendorFacts]>`
    SELECT count(*) FILTER (WHERE status = 'active' AND latest_snapshot_id IS NULL)::int AS unfetched,
      count(*) FILTER (WHERE origin = 'sample')::int AS samples,
      count(*) FILTER (WHERE is_public)::int AS "publicCount",
      max(last_fetched_at) FILTER (WHERE origin <> 'sample') AS "lastFetchedAt"
    FROM vendors WHERE account_id IS NULL`;
  return facts;
}
