import type { Database } from "#lib/platform/database/index";
import type { DiffDetail } from "./schemas";
import { findDiffs, type ListedDiff } from "./store";

/** A listed diff as the contract writes it. */
export function toDiffDetail(diff: Omit<ListedDiff, "compressedText">): DiffDetail {
  return {
    id: diff.id,
    previous_snapshot_id: diff.previousSnapshotId,
    current_snapshot_id: diff.currentSnapshotId,
    lines_added: diff.linesAdded,
    lines_removed: diff.linesRemoved,
    links_added: diff.linksAdded,
    links_removed: diff.linksRemoved,
    created_at: diff.createdAt.toISOString(),
  };
}

/** The last diffs of a vendor, newest first. */
export async function latestDiffs(client: Database, vendorId: string, limit: number): Promise<DiffDetail[]> {
  return (await findDiffs(client, { vendorId, limit })).map(toDiffDetail);
}
