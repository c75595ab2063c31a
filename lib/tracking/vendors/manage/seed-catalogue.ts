import catalogue from "../../../../content/vendors/catalogue.json" with { type: "json" };
import { importVendors, type ManageContext } from "./change-vendors";
import { vendorFileSchema } from "./schemas";
import type { WrittenVendors } from "./store";

/**
 * Adds the missing vendors of the bundled catalogue, which every installation tracks by default, and updates those that
 * came from it. Vendors that an operator has added or changed are kept as they are.
 */
export async function seedCatalogue(context: ManageContext): Promise<WrittenVendors> {
  const { vendors } = vendorFileSchema.parse(catalogue);
  return importVendors(context, { vendors, origin: "catalogue", keepsOthers: true });
}
