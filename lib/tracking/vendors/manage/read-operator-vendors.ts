import { commandLine } from "#lib/platform/command-line";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { VendorStatus } from "../schemas";
import type { VendorFile } from "./schemas";
import { findHistory, findVendors, type OperatorVendor } from "./store";

/** Returns a vendor of any status. Throws AppError not_found. */
export async function requireVendor(database: Database, slug: string): Promise<OperatorVendor> {
  const [vendor] = await findVendors(database, { slug });
  if (vendor) return vendor;
  throw new AppError("not_found", `There is no vendor "${slug}". List them: ${commandLine("vendors list")}`);
}

/** Returns all vendors, or those with a status, by slug. */
export async function listOperatorVendors(
  { database }: { database: Database },
  { status }: { status?: VendorStatus } = {},
): Promise<OperatorVendor[]> {
  return findVendors(database, { status });
}

/** Throws AppError not_found for an unknown slug, and conflict for a vendor that cannot be fetched. */
export async function requireFetchable(database: Database, slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    const { status, origin } = await requireVendor(database, slug);
    if (origin === "sample") throw new AppError("conflict", `"${slug}" is a sample and has no site to fetch.`);
    if (status === "paused")
      throw new AppError("conflict", `"${slug}" is paused. Resume it: ${commandLine(`vendors resume ${slug}`)}`);
  }
}

/**
 * Returns a vendor's latest fetches and status changes, newest first, and the security findings of its latest version.
 * Throws AppError not_found.
 */
export async function getHistory(
  { database }: { database: Database },
  { slug, limit }: { slug: string; limit: number },
) {
  const vendor = await requireVendor(database, slug);
  return { vendor, ...(await findHistory(database, vendor.id, limit)) };
}
export type VendorHistory = Awaited<ReturnType<typeof getHistory>>;

/** Returns all vendors except the samples, in the format that `importVendors` takes. */
export async function exportVendors({ database }: { database: Database }): Promise<VendorFile> {
  const rows = await findVendors(database);
  const vendors = rows
    .filter(({ origin }) => origin !== "sample")
    .map(({ name, slug, domain, category, llmsTxtUrl, llmsFullTxtUrl, reader, isPublic, accountId }) => ({
      name,
      slug,
      domain,
      category,
      llms_txt_url: llmsTxtUrl,
      llms_full_txt_url: llmsFullTxtUrl,
      reader,
      public: isPublic,
      account_id: accountId,
    }));
  return { vendors };
}
