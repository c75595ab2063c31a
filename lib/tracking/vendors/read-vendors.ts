import type { CallContext } from "#lib/accounts/keys/index";
import { latestDiffs } from "#lib/tracking/diffs/index";
import { findFailure, latestSnapshots, toSnapshotMeta } from "#lib/tracking/snapshots/index";
import { ownAccountOf, vendorNotFound } from "#lib/tracking/vendor-access/index";
import {
  recentCount,
  type VendorAnswer,
  type VendorList,
  type VendorListQuery,
  type VendorSearch,
  type VendorSearchQuery,
  vendorListQuerySchema,
} from "./schemas";
import { findActiveVendors, findVendor, findVendors } from "./store";

export type ReadContext = Pick<CallContext, "caller" | "database">;

/** Returns the active vendors that the caller sees, by slug. */
export async function listVendors(
  { caller, database }: ReadContext,
  { query: { limit, offset } }: { query: VendorListQuery } = { query: vendorListQuerySchema.parse({}) },
): Promise<VendorList> {
  const found = await findActiveVendors(database, ownAccountOf(caller), { limit, offset });
  const vendors = found.map(({ name, slug, domain, category, latestSnapshot }) => {
    return { name, slug, domain, category, latest: latestSnapshot && toSnapshotMeta(latestSnapshot) };
  });
  return { count: vendors.length, vendors };
}

/** Returns a page of the vendors that the caller sees and that match the filters, by slug. An empty `q` matches every vendor. */
export async function searchVendors(
  { caller, database }: ReadContext,
  { query }: { query: VendorSearchQuery },
): Promise<VendorSearch> {
  const vendors = await findVendors(database, ownAccountOf(caller), query);
  const { q, category = null, status, limit, offset } = query;
  return { _meta: { count: vendors.length, filters: { q: q || null, category, status, limit, offset } }, vendors };
}

/** Returns a vendor that the caller sees, with its latest snapshots and diffs. Throws AppError not_found. */
export async function getVendor(
  { caller, database }: ReadContext,
  { params }: { params: { slug: string } },
): Promise<VendorAnswer> {
  const found = await findVendor(database, ownAccountOf(caller), params.slug);
  if (!found) throw vendorNotFound(params.slug);
  const { id, name, slug, domain, category, status, llmsTxtUrl, llmsFullTxtUrl, failingSince } = found;
  const [snapshots, diffs, failure] = await Promise.all([
    latestSnapshots(database, id, recentCount),
    latestDiffs(database, id, recentCount),
    failingSince && findFailure(database, id),
  ]);
  const urls = { llms_txt_url: llmsTxtUrl, llms_full_txt_url: llmsFullTxtUrl };
  const failing = failingSince && failure ? { failure, failing_since: failingSince.toISOString() } : {};
  return { vendor: { name, slug, domain, category, status, ...urls, ...failing }, snapshots, diffs };
}
