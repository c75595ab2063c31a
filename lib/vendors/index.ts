export { categoryOf, storedCategory } from "./category";
export {
  type FetchSummary,
  type FetchVendorsContext,
  type FetchVendorsOptions,
  fetchVendors,
} from "./ingestion/fetch-vendors";
export { pruneFetches } from "./ingestion/store";
export {
  type VendorCategory,
  type VendorStatus,
  type VendorSummary,
  vendorCategories,
  vendorCategorySchema,
  vendorStatuses,
  vendorStatusSchema,
  vendorSummarySchema,
} from "./schemas";
