import { decompressText } from "#lib/platform/compress-text";
import { boundDiffText } from "#lib/tracking/diffs/index";
import { toSnapshotMeta } from "#lib/tracking/snapshots/index";
import type { DiffContent, FeedEntry } from "./schemas";
import type { FeedRow, FetchedRow } from "./store";

/** Diffs that are decompressed at once: one can be large, and only its beginning is kept. */
const batchSize = 8;

async function diffContentOf(row: FetchedRow): Promise<DiffContent | null> {
  if (row.diffAt === null || row.compressedText === null) return null;
  return {
    lines_added: row.linesAdded,
    lines_removed: row.linesRemoved,
    diff_text: boundDiffText(await decompressText(row.compressedText)),
    created_at: row.diffAt.toISOString(),
  };
}

function recentChangeOf({ linesAdded, linesRemoved, diffAt }: FetchedRow): FeedEntry["recent_change"] {
  if (diffAt === null) return null;
  return { lines_added: linesAdded, lines_removed: linesRemoved, detected_at: diffAt.toISOString() };
}

async function toFeedEntry(row: FeedRow, withDiffContent: boolean): Promise<FeedEntry> {
  const { name, slug, domain, category } = row;
  const vendor = { name, slug, domain, category };
  if (row.snapshotId === null) {
    return { vendor, latest: null, recent_change: null, ...(withDiffContent && { diff_content: null }) };
  }
  return {
    vendor,
    latest: toSnapshotMeta(row),
    recent_change: recentChangeOf(row),
    ...(withDiffContent && { diff_content: await diffContentOf(row) }),
  };
}

/** Entries of the feed in the order of their rows; without diff content they have no such field. */
export async function toFeedEntries(
  rows: readonly FeedRow[],
  { withDiffContent }: { withDiffContent: boolean },
): Promise<FeedEntry[]> {
  const entries: FeedEntry[] = [];
  for (let start = 0; start < rows.length; start += batchSize) {
    const batch = rows.slice(start, start + batchSize);
    entries.push(...(await Promise.all(batch.map((row) => toFeedEntry(row, withDiffContent)))));
  }
  return entries;
}
