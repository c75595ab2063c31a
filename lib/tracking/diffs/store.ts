import { decompressText } from "#lib/platform/compress-text";
import type { Database } from "#lib/platform/database/index";
import { maxListedLinkCount } from "./schemas";

const side = { select: { id: true, byteSize: true, lineCount: true, fetchedAt: true, securityScore: true } } as const;

/** Returns a diff with its vendor and both snapshots. */
export async function findDiff(client: Database, id: string) {
  return client.diff.findUnique({
    where: { id },
    select: {
      id: true,
      linesAdded: true,
      linesRemoved: true,
      linksAdded: true,
      linksRemoved: true,
      createdAt: true,
      linesMoved: true,
      exact: true,
      vendor: { select: { slug: true, accountId: true } },
      previousSnapshot: side,
      currentSnapshot: side,
    },
  });
}

export type FoundDiff = NonNullable<Awaited<ReturnType<typeof findDiff>>>;

/** Returns the complete unified diff; null if the diff does not exist. */
export async function readDiffText(client: Database, id: string): Promise<string | null> {
  const diff = await client.diff.findUnique({ where: { id }, select: { compressedText: true } });
  return diff && decompressText(diff.compressedText);
}

/** A diff in a list, with at most `maxListedLinkCount` added and as many removed links. */
export type ListedDiff = {
  id: string;
  previousSnapshotId: string;
  currentSnapshotId: string;
  linesAdded: number;
  linesRemoved: number;
  linesMoved: number;
  linksAdded: string[];
  linksRemoved: string[];
  exact: boolean;
  createdAt: Date;
  /** The higher security score of the two versions. */
  securityScore: number;
  /** Null unless requested. */
  compressedText: Uint8Array | null;
};

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
