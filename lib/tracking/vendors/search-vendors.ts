import type { Database } from "#lib/platform/database/index";
import type { VendorSearch, VendorSearchQuery } from "./schemas";
import { findVendors } from "./store";

/** A page of the vendors that fit the filters, by slug, without those of an account. An empty `q` filters nothing. */
export async function searchVendors(
  { database }: { database: Database },
  { query }: { query: VendorSearchQuery },
): Promise<VendorSearch> {
  const vendors = await findVendors(database, query);
  const { q, category = null, status, limit, offset } = query;
  return { _meta: { count: vendors.length, filters: { q: q || null, category, status, limit, offset } }, vendors };
}
