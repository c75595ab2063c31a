import { decompressText } from "#lib/platform/compress-text";
import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { PreparedVersion } from "./prepare-version";

/** The text of a snapshot. Throws where there is none. */
export async function readSnapshotText(client: Database, snapshotId: string): Promise<string> {
  const { content } = await client.snapshot.findUniqueOrThrow({
    where: { id: snapshotId },
    select: { content: { select: { compressed: true } } },
  });
  return decompressText(content.compressed);
}

/** How and when a version was got. */
export type VersionOrigin = { vendorId: string; at: Date; httpStatus: number; responseTimeMs: number };

/** Stores a version with its content and its diff. The caller's transaction also moves the vendor on to it. */
export async function insertVersion(
  transaction: Transaction,
  version: PreparedVersion,
  { vendorId, at, httpStatus, responseTimeMs }: VersionOrigin,
  ids: Ids,
): Promise<{ snapshotId: string; diffId: string | null }> {
  const { contentHash, byteSize, compressedContent, previousSnapshotId, diff, ...measures } = version;
  const content = { hash: contentHash, byteSize, compressed: compressedContent };
  await transaction.content.createMany({ data: [content], skipDuplicates: true });
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
