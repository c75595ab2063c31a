export { isCoveredBy, isVisibleTo, requireVisibleVendor, type VendorAccess, vendorNotFound } from "./access";
export { vendorParamsSchema } from "./schemas";
