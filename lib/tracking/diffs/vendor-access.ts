import type { Caller } from "#lib/accounts/keys/index";
import { AppError } from "#lib/platform/errors";

/** What decides who sees a vendor. */
export type VendorAccess = {
  /** Whether the free tier's feed covers it. */
  isPublic: boolean;
  /** The account that it was added for; null: everybody's. */
  accountId: string | null;
};

/** Whether a caller hears of a vendor at all: those of an account are seen by its own keys, while its tier has them. */
export function isSeenBy({ accountId }: Pick<VendorAccess, "accountId">, caller: Caller): boolean {
  if (accountId === null) return true;
  return caller.plan.vendorAccess === "all-plus-custom" && caller.accountId === accountId;
}

/** Whether the caller's tier covers the history of a vendor that it sees. */
export function isCoveredBy({ isPublic }: Pick<VendorAccess, "isPublic">, { plan }: Caller): boolean {
  return isPublic || plan.vendorAccess !== "public-5";
}

/** What a caller hears of a vendor that there is not, or not for it. */
export function unknownVendor(slug: string): AppError {
  return new AppError("not_found", `There is no vendor "${slug}". GET /api/v1/vendors lists them.`);
}
