import { importVendors, type ManageContext } from "../manage/import-vendors";
import type { WrittenVendors } from "../manage/store";
import { readCatalogue } from "./read-catalogue";

/**
 * Brings the bundled catalogue into the database: vendors that are missing are added, and those that came from it are
 * brought up to date. What an operator has added or changed stays.
 */
export async function seedCatalogue(context: ManageContext): Promise<WrittenVendors> {
  return importVendors(context, { vendors: readCatalogue(), origin: "catalogue", keepsOthers: true });
}
