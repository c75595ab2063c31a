import catalogue from "../../../../content/vendors/catalogue.json" with { type: "json" };
import { importVendors, type ManageContext } from "./change-vendors";
import { type VendorInput, vendorFileSchema } from "./schemas";
import type { WrittenVendors } from "./store";

/** Returns the vendors that every installation tracks by default. */
function readCatalogue(): VendorInput[] {
  return vendorFileSchema.parse(catalogue).vendors;
}

/**
 * Adds the missing vendors of the bundled catalogue and updates those that came from it. Vendors that an operator has
 * added or changed are kept as they are.
 */
export async function seedCatalogue(context: ManageContext): Promise<WrittenVendors> {
  return importVendors(context, { vendors: readCatalogue(), origin: "catalogue", keepsOthers: true });
}
