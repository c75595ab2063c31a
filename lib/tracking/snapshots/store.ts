import type { Database } from "#lib/platform/database/index";
import type { VendorAccess } from "#lib/tracking/diffs/index";
import { type SnapshotMetaRow, snapshotMetaColumns } from "./snapshot-meta";

export type LatestSnapshot = SnapshotMetaRow & { id: string; securityScore: number };

/** A vendor with its latest snapshot, without the content. */
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

/** The last snapshots of a vendor, newest first, without their contents. */
export async function findSnapshots(client: Database, vendorId: string, limit: number) {
  return client.snapshot.findMany({
    where: { vendorId },
    orderBy: { id: "desc" },
    take: limit,
    select: { ...snapshotMetaColumns, id: true, httpStatus: true, responseTimeMs: true, securityScore: true },
  });
}
