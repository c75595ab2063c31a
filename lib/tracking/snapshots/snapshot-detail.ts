import type { Database } from "#lib/platform/database/index";
import type { SnapshotDetail } from "./schemas";
import { toSnapshotMeta } from "./snapshot-meta";
import { findSnapshots } from "./store";

/** The last snapshots of a vendor, newest first, without their contents. */
export async function latestSnapshots(client: Database, vendorId: string, limit: number): Promise<SnapshotDetail[]> {
  const snapshots = await findSnapshots(client, vendorId, limit);
  return snapshots.map(({ id, httpStatus, responseTimeMs, securityScore, ...meta }) => ({
    id,
    ...toSnapshotMeta(meta),
    http_status: httpStatus,
    response_time_ms: responseTimeMs,
    security_score: securityScore,
  }));
}
