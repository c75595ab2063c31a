import { decompressText } from "#lib/platform/compress-text";
import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { VendorAccess } from "#lib/tracking/vendor-access/index";
import type { PreparedVersion } from "./compute-version";

/** Columns of a `SnapshotMeta`. */
export const snapshotMetaColumns = {
  contentHash: true,
  byteSize: true,
  lineCount: true,
  linkCount: true,
  fetchedAt: true,
} as const;

export type SnapshotMetaRow = {
  contentHash: string;
  byteSize: number;
  lineCount: number;
  linkCount: number;
  fetchedAt: Date;
};

export type LatestSnapshot = SnapshotMetaRow & { id: string; securityScore: number };

/** Returns a vendor's access with its latest snapshot, without the content. */
export async function findLatestSnapshot(
  client: Database,
  slug: string,
): Promise<(VendorAccess & { latestSnapshot: LatestSnapshot | null }) | null> {
  return client.vendor.findUnique({
    where: { slug },
    select: {
      isPublic: true,
      accountId: true,
      latestSnapshot: { select: { ...snapshotMetaColumns, id: true, securityScore: true } },
    },
  });
}

/** Returns the latest snapshots of a vendor, newest first, without their content. */
export async function findSnapshots(client: Database, vendorId: string, limit: number) {
  return client.snapshot.findMany({
    where: { vendorId },
    orderBy: { id: "desc" },
    take: limit,
    select: { ...snapshotMetaColumns, id: true, httpStatus: true, responseTimeMs: true, securityScore: true },
  });
}

/** Returns the text of a snapshot. Throws if there is none. */
export async function readSnapshotText(client: Database, snapshotId: string): Promise<string> {
  const { content } = await client.snapshot.findUniqueOrThrow({
    where: { id: snapshotId },
    select: { content: { select: { compressed: true } } },
  });
  return decompressText(content.compressed);
}

/** How and when a version was fetched. */
type VersionOrigin = { vendorId: string; at: Date; httpStatus: number; responseTimeMs: number };

/** Stores a version with its content and diff. The caller's transaction also makes it the vendor's latest. */
export async function insertVersion(
  transaction: Transaction,
  version: PreparedVersion,
  { vendorId, at, httpStatus, responseTimeMs }: VersionOrigin,
  ids: Ids,
): Promise<{ snapshotId: string; diffId: string | null }> {
  const { contentHash, byteSize, compressedContent, previousSnapshotId, diff, ...measures } = version;
  // Updating an existing row locks it, so that `prune` cannot delete it as unused.
  await transaction.$executeRaw`
    INSERT INTO contents (hash, compressed, byte_size) VALUES (${contentHash}, ${compressedContent}, ${byteSize})
    ON CONFLICT (hash) DO UPDATE SET byte_size = excluded.byte_size`;
  const snapshotId = ids.next();
  const times = { createdAt: at, fetchedAt: at };
  await transaction.snapshot.create({
    data: { id: snapshotId, vendorId, contentHash, byteSize, ...times, httpStatus, responseTimeMs, ...measures },
    select: { id: true },
  });
  if (!diff || !previousSnapshotId) return { snapshotId, diffId: null };
  const diffId = ids.next();
  await transaction.diff.create({
    data: { id: diffId, vendorId, previousSnapshotId, currentSnapshotId: snapshotId, ...diff, createdAt: at },
    select: { id: true },
  });
  return { snapshotId, diffId };
}

/** Deletes snapshots superseded before a time, with the diffs that follow them. The latest snapshots are kept. */
export async function pruneSnapshots(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return client.$executeRaw`
    DELETE FROM snapshots
    WHERE id IN (SELECT previous_snapshot_id FROM diffs WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit})`;
}

/** Deletes content that no snapshot refers to any more. */
export async function pruneContents(client: Database, limit: number): Promise<number> {
  return client.$executeRaw`
    DELETE FROM contents WHERE hash IN (
      SELECT hash FROM contents
      WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.content_hash = contents.hash)
      LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )`;
}
