import * as z from "zod";
import { decompressText } from "#lib/platform/compress-text";
import type { Database } from "#lib/platform/database/index";
import { isVisibleToAccount } from "#lib/tracking/vendor-access/index";
import { type Diff, Prisma } from "#prisma/generated/client";
import { maxListedLinkCount } from "./schemas";

/** Most added links, and most removed links, that a page lists. */
const maxPageLinkCount = 50;

type Counts = Pick<Diff, "linesAdded" | "linesRemoved" | "linesMoved" | "linksAdded" | "linksRemoved" | "exact">;
type DiffRow = Counts & Pick<Diff, "id" | "createdAt">;

/** A diff on its page: with its first links, and counts of all of them. */
export type PageDiff = DiffRow & {
  vendorName: string;
  isPublic: boolean;
  vendorDomain: string;
  /** Whether pages show the text: the free tier covers the vendor, or it is the caller's own. */
  hasText: boolean;
  linkCountAdded: number;
  linkCountRemoved: number;
  previousByteSize: number;
  currentByteSize: number;
  previousSeenAt: Date;
  /** Security scores of the two versions. */
  previousScore: number;
  currentScore: number;
  /** The vendor's previous and next change. */
  olderId: string | null;
  newerId: string | null;
};

/** Returns a diff of a vendor that everyone sees or that an account owns, without its text; null if there is none. */
export async function findPageDiff(
  client: Database,
  { slug, id, ownAccountId }: { slug: string; id: string; ownAccountId: string | null },
): Promise<PageDiff | null> {
  const [diff] = await client.$queryRaw<PageDiff[]>(Prisma.sql`
    SELECT d.id, v.name AS "vendorName", v.domain AS "vendorDomain", v.is_public AS "isPublic",
      v.is_public OR v.account_id IS NOT NULL AS "hasText",
      d.lines_added AS "linesAdded", d.lines_removed AS "linesRemoved", d.lines_moved AS "linesMoved",
      d.exact, d.created_at AS "createdAt",
      d.links_added[1:${maxPageLinkCount}::int] AS "linksAdded", cardinality(d.links_added) AS "linkCountAdded",
      d.links_removed[1:${maxPageLinkCount}::int] AS "linksRemoved", cardinality(d.links_removed) AS "linkCountRemoved",
      p.byte_size AS "previousByteSize", c.byte_size AS "currentByteSize", p.created_at AS "previousSeenAt",
      p.security_score AS "previousScore", c.security_score AS "currentScore",
      (SELECT o.id FROM diffs o WHERE o.vendor_id = d.vendor_id AND o.id < d.id ORDER BY o.id DESC LIMIT 1) AS "olderId",
      (SELECT o.id FROM diffs o WHERE o.vendor_id = d.vendor_id AND o.id > d.id ORDER BY o.id LIMIT 1) AS "newerId"
    FROM diffs d
    JOIN vendors v ON v.id = d.vendor_id
    JOIN snapshots p ON p.id = d.previous_snapshot_id
    JOIN snapshots c ON c.id = d.current_snapshot_id
    WHERE d.id = ${id}::uuid AND v.slug = ${slug}
      AND ${isVisibleToAccount(ownAccountId)}`);
  return diff ?? null;
}

const findingsSchema = z.array(z.object({ detector: z.string(), points: z.number(), line: z.number() }));

type Findings = z.infer<typeof findingsSchema>;

/** Returns the security findings in the two versions of a diff, at most 50 each. */
export async function readDiffFindings(
  client: Database,
  id: string,
): Promise<{ previous: Findings; current: Findings }> {
  const columns = { select: { securityFindings: true } } as const;
  const select = { previousSnapshot: columns, currentSnapshot: columns } as const;
  const { previousSnapshot, currentSnapshot } = await client.diff.findUniqueOrThrow({ where: { id }, select });
  return {
    previous: findingsSchema.parse(previousSnapshot.securityFindings),
    current: findingsSchema.parse(currentSnapshot.securityFindings),
  };
}

const side = { select: { id: true, byteSize: true, lineCount: true, fetchedAt: true, securityScore: true } } as const;

/** Returns a diff with its vendor and both snapshots. */
export async function findDiff(client: Database, id: string) {
  return client.diff.findUnique({
    where: { id },
    omit: { compressedText: true },
    include: { vendor: { select: { slug: true, accountId: true } }, previousSnapshot: side, currentSnapshot: side },
  });
}

export type FoundDiff = NonNullable<Awaited<ReturnType<typeof findDiff>>>;

/** Returns the complete unified diff; null if the diff does not exist. */
export async function readDiffText(client: Database, id: string): Promise<string | null> {
  const diff = await client.diff.findUnique({ where: { id }, select: { compressedText: true } });
  return diff && decompressText(diff.compressedText);
}

/** A diff in a list, with at most `maxListedLinkCount` added and as many removed links. */
export type ListedDiff = DiffRow &
  Pick<Diff, "previousSnapshotId" | "currentSnapshotId"> & {
    /** The higher security score of the two versions. */
    securityScore: number;
    /** Null unless requested. */
    compressedText: Uint8Array | null;
  };

/** Returns when the oldest version of a vendor's file that is kept was first seen; null if there is none. */
export async function findFirstSeen(client: Database, vendorId: string): Promise<Date | null> {
  const [oldest] = await client.snapshot.findMany({
    where: { vendorId },
    orderBy: { id: "asc" },
    take: 1,
    select: { createdAt: true },
  });
  return oldest?.createdAt ?? null;
}

type DiffSelection = {
  vendorId: string;
  limit: number;
  /** Only diffs with a smaller id. */
  before?: string;
  /** Only diffs created at or after this time; null: all. */
  since?: Date | null;
  hasText?: boolean;
};

/** Returns a vendor's diffs, newest first. The database limits the links, because one change may replace every link. */
export async function findDiffs(
  client: Database,
  { vendorId, limit, before, since = null, hasText = false }: DiffSelection,
): Promise<ListedDiff[]> {
  const last = before ?? "ffffffff-ffff-ffff-ffff-ffffffffffff";
  return client.$queryRaw<ListedDiff[]>`
    SELECT id, previous_snapshot_id AS "previousSnapshotId", current_snapshot_id AS "currentSnapshotId",
      lines_added AS "linesAdded", lines_removed AS "linesRemoved", lines_moved AS "linesMoved",
      links_added[1:${maxListedLinkCount}::int] AS "linksAdded",
      links_removed[1:${maxListedLinkCount}::int] AS "linksRemoved",
      (SELECT max(security_score) FROM snapshots WHERE id IN (previous_snapshot_id, current_snapshot_id))
        AS "securityScore",
      exact, created_at AS "createdAt", CASE WHEN ${hasText} THEN compressed_text END AS "compressedText"
    FROM diffs
    WHERE vendor_id = ${vendorId}::uuid AND id < ${last}::uuid
      AND created_at >= COALESCE(${since}::timestamptz, '-infinity')
    ORDER BY id DESC
    LIMIT ${limit}`;
}
