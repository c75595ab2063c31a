import type { SnapshotMeta } from "./schemas";

/** The columns that a `SnapshotMeta` is made of. */
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
