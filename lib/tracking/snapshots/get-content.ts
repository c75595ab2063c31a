import type { Caller } from "#lib/accounts/keys/index";
import type { Database } from "#lib/platform/database/index";
import { isSeenBy, unknownVendor } from "#lib/tracking/diffs/index";
import { noSnapshot } from "./no-snapshot";
import type { VendorContent } from "./schemas";
import { toSnapshotMeta } from "./snapshot-meta";
import { findLatestSnapshot } from "./store";
import { readSnapshotText } from "./versions/store";

/** The latest content of a vendor that the caller sees, as it was fetched. Throws AppError not_found. */
export async function getContent(
  { caller, database }: { caller: Caller; database: Database },
  { params: { slug } }: { params: { slug: string } },
): Promise<VendorContent> {
  const vendor = await findLatestSnapshot(database, slug);
  if (!vendor || !isSeenBy(vendor, caller)) throw unknownVendor(slug);
  const { latestSnapshot } = vendor;
  if (!latestSnapshot) throw noSnapshot(slug);
  return { content: await readSnapshotText(database, latestSnapshot.id), metadata: toSnapshotMeta(latestSnapshot) };
}
