import type { Database } from "#lib/platform/database/index";
import { toSnapshotMeta } from "#lib/tracking/snapshots/index";
import { maxListedVendorCount, type VendorList } from "./schemas";
import { findActiveVendors } from "./store";

/** The active vendors by slug, without those of an account; at most `maxListedVendorCount`. */
export async function listVendors({ database }: { database: Database }): Promise<VendorList> {
  const found = await findActiveVendors(database, maxListedVendorCount);
  const vendors = found.map(({ name, slug, domain, category, latestSnapshot }) => {
    return { name, slug, domain, category, latest: latestSnapshot && toSnapshotMeta(latestSnapshot) };
  });
  return { count: vendors.length, vendors };
}
