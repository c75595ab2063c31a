import type { Caller } from "#lib/accounts/keys/index";
import type { Database } from "#lib/platform/database/index";
import { isSeenBy, unknownVendor } from "#lib/tracking/diffs/index";
import { findVendorAccess } from "./store";

/** Makes sure that the caller sees a vendor. Throws AppError not_found. */
export async function requireSeenVendor(
  { database, caller }: { database: Database; caller: Caller },
  slug: string,
): Promise<void> {
  const access = await findVendorAccess(database, slug);
  if (!access || !isSeenBy(access, caller)) throw unknownVendor(slug);
}
