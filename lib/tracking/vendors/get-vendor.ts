import type { Database } from "#lib/platform/database/index";
import { latestDiffs, unknownVendor } from "#lib/tracking/diffs/index";
import { latestSnapshots } from "#lib/tracking/snapshots/index";
import { recentCount, type VendorAnswer } from "./schemas";
import { findVendor } from "./store";

/** A vendor with its last snapshots and diffs. Throws AppError not_found, also for vendors of an account. */
export async function getVendor(
  { database }: { database: Database },
  { params }: { params: { slug: string } },
): Promise<VendorAnswer> {
  const found = await findVendor(database, params.slug);
  if (!found) throw unknownVendor(params.slug);
  const { id, name, slug, domain, category, status, llmsTxtUrl, llmsFullTxtUrl } = found;
  const [snapshots, diffs] = await Promise.all([
    latestSnapshots(database, id, recentCount),
    latestDiffs(database, id, recentCount),
  ]);
  const urls = { llms_txt_url: llmsTxtUrl, llms_full_txt_url: llmsFullTxtUrl };
  return { vendor: { name, slug, domain, category, status, ...urls }, snapshots, diffs };
}
