import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { DiffAnswer, DiffSnapshotMeta } from "./schemas";
import { findDiff } from "./store";
import { toUri } from "./to-uri";

type Side = { id: string; byteSize: number; lineCount: number; fetchedAt: Date };

/** Returns one side of a diff in API form. */
export function toSide({ id, byteSize, lineCount, fetchedAt }: Side): DiffSnapshotMeta {
  return { id, byte_size: byteSize, line_count: lineCount, fetched_at: fetchedAt.toISOString() };
}

/** Returns a diff. Throws AppError not_found, also for an account's own vendor, because the caller is unknown here. */
export async function getDiff(
  { database }: { database: Database },
  { params: { id } }: { params: { id: string } },
): Promise<DiffAnswer> {
  const diff = await findDiff(database, id);
  if (!diff || diff.vendor.accountId !== null) throw new AppError("not_found", `There is no diff ${id}.`);
  return {
    diff: {
      id: diff.id,
      vendor_slug: diff.vendor.slug,
      lines_added: diff.linesAdded,
      lines_removed: diff.linesRemoved,
      links_added: diff.linksAdded.map(toUri),
      links_removed: diff.linksRemoved.map(toUri),
      created_at: diff.createdAt.toISOString(),
    },
    previous_snapshot: toSide(diff.previousSnapshot),
    current_snapshot: toSide(diff.currentSnapshot),
  };
}
