import { batchCalls } from "#lib/platform/batch-calls";
import { decompressText } from "#lib/platform/compress-text";
import { type Database, queryDirectly } from "#lib/platform/database/index";
import type { VendorAccess } from "#lib/tracking/vendor-access/index";
import type { Prisma } from "#prisma/generated/client";

/** Columns of a `SnapshotMeta`. */
export const snapshotMetaColumns = {
  contentHash: true,
  byteSize: true,
  lineCount: true,
  linkCount: true,
  fetchedAt: true,
} as const;

export type SnapshotMetaRow = Prisma.SnapshotGetPayload<{ select: typeof snapshotMetaColumns }>;

export type LatestSnapshot = SnapshotMetaRow & { id: string; securityScore: number };
export type SnapshotRow = LatestSnapshot & { httpStatus: number; responseTimeMs: number };

/** Returns a vendor's access with its latest snapshot, without the content. */
export async function findLatestSnapshot(
  client: Database,
  slug: string,
): Promise<(VendorAccess & { id: string; latestSnapshot: LatestSnapshot | null }) | null> {
  return client.vendor.findUnique({
    where: { slug },
    select: {
      id: true,
      isPublic: true,
      accountId: true,
      latestSnapshot: { select: { ...snapshotMetaColumns, id: true, securityScore: true } },
    },
  });
}

/** Returns why the last fetch of a vendor failed; null if it did not. */
export async function findFailure(client: Database, vendorId: string): Promise<string | null> {
  const last = await client.fetch.findFirst({
    where: { vendorId },
    orderBy: { id: "desc" },
    select: { failure: true },
  });
  return last?.failure ?? null;
}

/** Returns the latest snapshots of a vendor, newest first, without their content. */
export async function findSnapshots(client: Database, vendorId: string, limit: number): Promise<SnapshotRow[]> {
  return client.snapshot.findMany({
    where: { vendorId },
    orderBy: { id: "desc" },
    take: limit,
    select: { ...snapshotMetaColumns, id: true, httpStatus: true, responseTimeMs: true, securityScore: true },
  });
}

const readContent = batchCalls<Database, string, Uint8Array | undefined>(
  async (client, snapshotIds) => {
    const rows = await queryDirectly(client, {
      text: `SELECT snapshots.id, compressed FROM snapshots JOIN contents ON contents.hash = snapshots.content_hash
        WHERE snapshots.id = ANY($1)`,
      values: [snapshotIds],
    });
    const contents = new Map(rows.map(({ id, compressed }) => [id, compressed as Uint8Array]));
    return snapshotIds.map((id) => contents.get(id));
  },
  { maxCount: 16 },
);

/** Returns the text of a snapshot; concurrent calls share a statement. Throws if there is none. */
export async function readSnapshotText(client: Database, snapshotId: string): Promise<string> {
  const compressed = await readContent(client, snapshotId);
  if (!compressed) throw new Error(`There is no snapshot ${snapshotId}.`);
  return decompressText(compressed);
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

/** Deletes superseded snapshots of the vendors of accounts that are older than the history of the account's tier. */
export async function pruneCustomSnapshots(
  client: Database,
  { historyStarts, limit }: { historyStarts: readonly { tier: string; before: Date }[]; limit: number },
): Promise<number> {
  const starts = JSON.stringify(historyStarts);
  return client.$executeRaw`
    DELETE FROM snapshots WHERE id IN (
      SELECT d.previous_snapshot_id FROM json_to_recordset(${starts}::json) AS start (tier text, before timestamptz)
      JOIN accounts a ON a.tier::text = start.tier
      JOIN vendors v ON v.account_id = a.id
      JOIN diffs d ON d.vendor_id = v.id AND d.created_at < start.before
      LIMIT ${limit})`;
}

/** Deletes content that no snapshot refers to any more. */
export async function pruneContents(client: Database, limit: number): Promise<number> {
  return client.$executeRaw`
    WITH unused AS (
      SELECT hash FROM contents
      WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.content_hash = contents.hash)
      LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM contents USING unused WHERE contents.hash = unused.hash`;
}
