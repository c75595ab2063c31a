import * as z from "zod";
import type { CallContext, Caller } from "#lib/accounts/keys/index";
import { AppError } from "#lib/platform/errors";
import { findVendorAccess } from "./store";

/** Path parameters of a vendor. Anything that cannot be a slug is rejected without a lookup. */
export const vendorParamsSchema = z.object({
  slug: z
    .string()
    .regex(/^[a-z0-9-]{1,100}$/, "must be a slug of lower-case letters, digits and hyphens")
    .meta({ description: "The vendor's slug.", examples: ["quarrydb"] }),
});

/** When the file of the vendor that a list is filtered by was last fetched. */
export const lastFetchedAtSchema = z.iso
  .datetime()
  .nullable()
  .describe("Last successful fetch of the vendor's file; null before the first, when nothing is known of its changes.");

/** Text that a list is filtered by. An unknown slug or name matches nothing; PostgreSQL does not accept NUL in text. */
export const filterTextSchema = z
  .string()
  .max(200, "must have at most 200 characters")
  .refine((text) => !text.includes("\0"), "must not contain NUL");

/** Visibility and ownership of a vendor. */
export type VendorAccess = {
  /** Whether the free tier's feed covers it. */
  isPublic: boolean;
  /** The account that owns the vendor; null if every caller sees it. */
  accountId: string | null;
};

/** Returns the account whose own vendors a caller sees beside those of everyone; null if its tier includes none. */
export function ownAccountOf({ plan, accountId }: Caller): string | null {
  return plan.vendorAccess === "all-plus-custom" ? accountId : null;
}

/** Whether a caller sees a vendor. An account's own vendors are visible to its keys only, while its tier includes them. */
export function isVisibleTo({ accountId }: Pick<VendorAccess, "accountId">, caller: Caller): boolean {
  return accountId === null || accountId === ownAccountOf(caller);
}

/** Whether the caller's tier covers the history of a vendor that is visible to it. */
export function isCoveredBy({ isPublic }: Pick<VendorAccess, "isPublic">, { plan }: Caller): boolean {
  return isPublic || plan.vendorAccess !== "public-5";
}

/** Tells an HTTP client where the slugs are listed. */
const httpHint = "GET /api/v1/vendors lists them.";

/** Returns the error for a vendor that does not exist; the same for one that the caller may not see. */
export function vendorNotFound(slug: string, hint = httpHint): AppError {
  return new AppError("not_found", `There is no vendor "${slug}". ${hint}`);
}

/** `lastFetchedAt` is null before the first fetch. */
type FoundVendor = VendorAccess & { id: string; lastFetchedAt: Date | null };

/** Returns a vendor's id, access and last fetch if the caller sees it. Throws AppError not_found, which ends with `hint`. */
export async function requireVisibleVendor(
  { database, caller }: Pick<CallContext, "database" | "caller">,
  slug: string,
  hint = httpHint,
): Promise<FoundVendor> {
  const vendor = await findVendorAccess(database, slug);
  if (!vendor || !isVisibleTo(vendor, caller)) throw vendorNotFound(slug, hint);
  return vendor;
}

/** Returns the error for a filter that names a vendor which does not exist, or which the caller does not see. */
export function unknownVendor(slug: string): AppError {
  const search = `/api/v1/vendors/search?${new URLSearchParams({ q: slug })}`;
  return new AppError("bad_request", `vendor: there is no vendor "${slug}". GET ${search} searches their names.`);
}

/** Returns when a vendor was last fetched, in API form: null if never, undefined if the caller does not see the vendor. */
export async function findLastFetch(
  { database, caller }: Pick<CallContext, "database" | "caller">,
  slug: string,
): Promise<string | null | undefined> {
  const vendor = await findVendorAccess(database, slug);
  return vendor && isVisibleTo(vendor, caller) ? (vendor.lastFetchedAt?.toISOString() ?? null) : undefined;
}

/**
 * Returns a vendor whose history the caller's tier covers. Throws AppError not_found, and forbidden if the caller sees the
 * vendor, but not its history.
 */
export async function requireCoveredVendor(
  context: Pick<CallContext, "database" | "caller">,
  slug: string,
): Promise<FoundVendor> {
  const vendor = await requireVisibleVendor(context, slug);
  if (isCoveredBy(vendor, context.caller)) return vendor;
  const message = `The free tier covers only the history of public vendors, and "${slug}" is not public. GET /api/v1/pricing lists the tiers.`;
  throw new AppError("forbidden", message);
}

/** Returns a vendor whose changes the tier of a tool's caller covers. Throws AppError not_found and forbidden. */
export async function requireToolVendor(
  context: Pick<CallContext, "database" | "caller">,
  slug: string,
): Promise<FoundVendor> {
  const vendor = await requireVisibleVendor(context, slug, "Call search_vendors to find slugs.");
  if (isCoveredBy(vendor, context.caller)) return vendor;
  const message = `The free tier covers only the changes of public vendors, and "${slug}" is not public. Call get_feed without a slug for the public ones, or get_pricing for the tiers.`;
  throw new AppError("forbidden", message);
}

/** Returns a note for the caller of a tool that has nothing of a vendor. Throws as `requireToolVendor` does. */
export async function noteOnFetches(context: Pick<CallContext, "database" | "caller">, slug: string): Promise<string> {
  const { lastFetchedAt } = await requireToolVendor(context, slug);
  return lastFetchedAt === null ? neverFetched(slug) : notFetchedSince(slug, lastFetchedAt);
}

/** Tells a tool's caller that nothing is known of a vendor's changes. */
export const neverFetched = (slug: string): string =>
  `The vendor "${slug}" has not been fetched yet, so whether its file changes is not known.`;

/** Tells a tool's caller that nothing is known of a vendor's changes after a time. */
export const notFetchedSince = (slug: string, lastFetchedAt: Date): string =>
  `"${slug}" was last fetched at ${lastFetchedAt.toISOString()}: whether its file changed after that is not known.`;
