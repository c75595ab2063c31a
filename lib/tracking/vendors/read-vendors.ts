import type { Database } from "#lib/platform/database/index";
import { latestDiffs } from "#lib/tracking/diffs/index";
import { latestSnapshots, toSnapshotMeta } from "#lib/tracking/snapshots/index";
import { vendorNotFound } from "#lib/tracking/vendor-access/index";
import {
  maxListedVendorCount,
  recentCount,
  type VendorAnswer,
  type VendorList,
  type VendorSearch,
  type VendorSearchQuery,
} from "./schemas";
import { findActiveVendors, findVendor, findVendors } from "./store";

/** Returns the first `maxListedVendorCount` active vendors by slug, without those owned by an account. */
export async function listVendors({ database }: { database: Database }): Promise<VendorList> {
  const found = await findActiveVendors(database, maxListedVendorCount);
  const vendors = found.map(({ name, slug, domain, category, latestSnapshot }) => {
    return { name, slug, domain, category, latest: latestSnapshot && toSnapshotMeta(latestSnapshot) };
  });
  return { count: vendors.length, vendors };
}

/**
 * Returns a page of the vendors that match the filters, by slug, without those owned by an account. An empty `q` matches
 * every vendor.
 */
export async function searchVendors(
  { database }: { database: Database },
  { query }: { query: VendorSearchQuery },
): Promise<VendorSearch> {
  const vendors = await findVendors(database, query);
  const { q, category = null, status, limit, offset } = query;
  return { _meta: { count: vendors.length, filters: { q: q || null, category, status, limit, offset } }, vendors };
}

/** Returns a vendor with its latest snapshots and diffs. Throws AppError not_found, also for an account's own vendor. */
export async function getVendor(
  { database }: { database: Database },
  { params }: { params: { slug: string } },
): Promise<VendorAnswer> {
  const found = await findVendor(database, params.slug);
  if (!found) throw vendorNotFound(params.slug);
  const { id, name, slug, domain, category, status, llmsTxtUrl, llmsFullTxtUrl } = found;
  const [snapshots, diffs] = await Promise.all([
    latestSnapshots(database, id, recentCount),
    latestDiffs(database, id, recentCount),
  ]);
  const urls = { llms_txt_url: llmsTxtUrl, llms_full_txt_url: llmsFullTxtUrl };
  return { vendor: { name, slug, domain, category, status, ...urls }, snapshots, diffs };
}
