import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { VendorStatus } from "../schemas";
import { findHistory, findVendors, type OperatorVendor } from "./store";

/** A vendor by its slug, whatever its status. Throws AppError not_found. */
export async function requireVendor(database: Database, slug: string): Promise<OperatorVendor> {
  const [vendor] = await findVendors(database, { slug });
  if (vendor) return vendor;
  throw new AppError("not_found", `There is no vendor "${slug}". List them: tapedeck vendors list`);
}

/** Every vendor, or those of one status, by slug. */
export async function listOperatorVendors(
  { database }: { database: Database },
  { status }: { status?: VendorStatus } = {},
): Promise<OperatorVendor[]> {
  return findVendors(database, { status });
}

/** Throws AppError not_found for a slug that names no vendor, and conflict for one that is not fetched. */
export async function requireFetchable(database: Database, slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    const { status, origin } = await requireVendor(database, slug);
    if (origin === "sample") throw new AppError("conflict", `"${slug}" is a sample: there is no site to fetch.`);
    if (status === "paused")
      throw new AppError("conflict", `"${slug}" is paused. Resume it: tapedeck vendors resume ${slug}`);
  }
}

/**
 * What happened to a vendor: its last fetches and changes of status, the newest first, and the security findings of its
 * latest version. Throws AppError not_found.
 */
export async function getHistory(
  { database }: { database: Database },
  { slug, limit }: { slug: string; limit: number },
) {
  const vendor = await requireVendor(database, slug);
  return { vendor, ...(await findHistory(database, vendor.id, limit)) };
}
export type VendorHistory = Awaited<ReturnType<typeof getHistory>>;
