import type { Caller } from "#lib/accounts/keys/index";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { ownAccountOf } from "#lib/tracking/vendor-access/index";
import type { ChangeFilters } from "./schemas";
import { findVisibleSlugs, type StoredFilters } from "./store";

const distinct = (values: readonly string[]) => [...new Set(values)];

/** Returns filters as they are stored. Throws AppError bad_request if a slug is of no vendor whose changes the caller gets. */
export async function readFilters(
  { caller, database }: { caller: Caller; database: Database },
  { vendors = [], categories = [], min_significance: minSignificance }: ChangeFilters,
): Promise<StoredFilters> {
  const isPublicOnly = caller.plan.vendorAccess === "public-5";
  const scope = { accountId: ownAccountOf(caller), isPublicOnly };
  const known = vendors.length > 0 ? await findVisibleSlugs(database, scope, vendors) : new Set();
  const unknown = vendors.find((slug) => !known.has(slug));
  if (unknown === undefined)
    return {
      filterVendors: distinct(vendors),
      filterCategories: distinct(categories),
      minSignificance: minSignificance ?? null,
    };
  const covered = isPublicOnly ? " among those that the free tier covers" : "";
  const message = `Body field "filters.vendors": there is no vendor "${unknown}"${covered}. GET /api/v1/vendors/search finds slugs.`;
  throw new AppError("bad_request", message);
}

/** Returns stored filters in API form; undefined if there are none. */
export function toFilters({
  filterVendors,
  filterCategories,
  minSignificance,
}: StoredFilters): ChangeFilters | undefined {
  const filters = {
    ...(filterVendors.length > 0 && { vendors: filterVendors }),
    ...(filterCategories.length > 0 && { categories: filterCategories as NonNullable<ChangeFilters["categories"]> }),
    ...(minSignificance !== null && { min_significance: minSignificance }),
  };
  return Object.keys(filters).length > 0 ? filters : undefined;
}
