import type { Database } from "#lib/platform/database/index";
import type { SnapshotDetail, SnapshotMeta } from "./schemas";
import { findSnapshots, type SnapshotMetaRow } from "./store";

export function toSnapshotMeta({
  contentHash,
  byteSize,
  lineCount,
  linkCount,
  fetchedAt,
}: SnapshotMetaRow): SnapshotMeta {
  return {
    content_hash: contentHash,
    byte_size: byteSize,
    line_count: lineCount,
    link_count: linkCount,
    fetched_at: fetchedAt.toISOString(),
  };
}

/** Returns the latest snapshots of a vendor, newest first, without their content. */
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
