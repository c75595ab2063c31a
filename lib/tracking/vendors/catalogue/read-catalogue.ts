import catalogue from "../../../../content/vendors/catalogue.json" with { type: "json" };
import { type VendorInput, vendorFileSchema } from "../manage/vendor-input";

/** The vendors that every installation tracks from the start. */
export function readCatalogue(): VendorInput[] {
  return vendorFileSchema.parse(catalogue).vendors;
}
