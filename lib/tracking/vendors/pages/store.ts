import { z } from "zod";
import type { Database } from "#lib/platform/database/index";
import { Prisma } from "#prisma/generated/client";
import { recentCount, type VendorStatus, type VendorSummary } from "../schemas";
import { escapeLike } from "../store";
import type { DirectoryQuery } from "./directory-query";

type Filters = Pick<DirectoryQuery, "q" | "category" | "status">;

/** Names are compared by Unicode rules, independent of the database's locale. */
function matchesFilters({ q, category, status }: Filters): Prisma.Sql {
  const part = `%${escapeLike(q)}%`;
  return Prisma.sql`v.account_id IS NULL
    AND (${status}::vendor_status IS NULL OR v.status = ${status}::vendor_status)
    AND (${category}::vendor_category IS NULL OR v.category = ${category}::vendor_category)
    AND (v.name COLLATE "und-x-icu" ILIKE ${part} OR v.slug ILIKE ${part} OR v.domain ILIKE ${part})`;
}

/** Returns the number of public-scope vendors that match the filters. */
export async function countDirectory(client: Database, filters: Filters): Promise<number> {
  const [row] = await client.$queryRaw<[{ count: bigint }]>(
    Prisma.sql`SELECT count(*) AS count FROM vendors v WHERE ${matchesFilters(filters)}`,
  );
  return Number(row.count);
}

export type DirectoryRow = VendorSummary & {
  id: string;
  status: VendorStatus;

  lastFetchedAt: Date | null;
  byteSize: number | null;
};

/** Returns vendors that match the filters, most recently changed first or by slug. */
export async function findDirectory(
  client: Database,
  { sort, ...filters }: DirectoryQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<DirectoryRow[]> {
  const order =
    sort === "changed"
      ? Prisma.sql`v.latest_diff_id DESC NULLS LAST, v.latest_snapshot_id DESC NULLS LAST, v.slug`
      : Prisma.sql`v.slug`;
  return client.$queryRaw<DirectoryRow[]>(Prisma.sql`
    SELECT v.id, v.name, v.slug, v.domain, v.category::text, v.status::text,
      v.last_fetched_at AS "lastFetchedAt", s.byte_size AS "byteSize"
    FROM vendors v LEFT JOIN snapshots s ON s.id = v.latest_snapshot_id
    WHERE ${matchesFilters(filters)}
    ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`);
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

/** Returns what a vendor's page shows in addition to its API detail; null for an account's own vendor. */
export async function findPageFacts(client: Database, slug: string) {
  const vendor = await client.vendor.findUnique({
    where: { slug, accountId: null },
    select: {
      id: true,
      isPublic: true,
      createdAt: true,
      lastFetchedAt: true,
      origin: true,
      latestSnapshot: { select: { securityFindings: true } },
      snapshots: { select: { id: true, createdAt: true }, orderBy: { id: "desc" }, take: recentCount },
      statusChanges: { select: { createdAt: true }, orderBy: { id: "desc" }, take: 1 },
      _count: { select: { snapshots: true, diffs: true } },
    },
  });
  if (!vendor) return null;
  const { latestSnapshot, snapshots, statusChanges, _count: counts, ...facts } = vendor;
  return {
    ...facts,
    findings: findingsSchema.parse(latestSnapshot?.securityFindings ?? []),
    firstSeenAt: new Map(snapshots.map(({ id, createdAt }) => [id, createdAt])),
    statusSince: statusChanges[0]?.createdAt ?? null,
    counts,
  };
}
