import type { Database } from "#lib/platform/database/index";
import { findVendors } from "./store";
import type { VendorFile } from "./vendor-input";

/** Every vendor but the samples, as `importVendors` takes them. */
export async function exportVendors({ database }: { database: Database }): Promise<VendorFile> {
  const rows = await findVendors(database);
  const vendors = rows
    .filter(({ origin }) => origin !== "sample")
    .map(({ name, slug, domain, category, llmsTxtUrl, llmsFullTxtUrl, isPublic, accountId }) => ({
      ...{ name, slug, domain, category, llms_txt_url: llmsTxtUrl, llms_full_txt_url: llmsFullTxtUrl },
      ...{ public: isPublic, account_id: accountId },
    }));
  return { vendors };
}
