export { categoryOf, storedCategory } from "./category";
export {
  getStatsEndpoint,
  getVendorEndpoint,
  listVendorsEndpoint,
  searchVendorsEndpoint,
  vendorEndpoints,
} from "./endpoints";
export { getStats } from "./get-stats";
export { getVendor } from "./get-vendor";
export {
  type FetchSummary,
  type FetchVendorsContext,
  type FetchVendorsOptions,
  fetchVendors,
} from "./ingestion/fetch-vendors";
export { pruneFetches, type StoredVersion } from "./ingestion/store";
export { listVendors } from "./list-vendors";
export { exportVendors } from "./manage/export-vendors";
export { getHistory, listOperatorVendors, requireFetchable, type VendorHistory } from "./manage/get-history";
export { addVendor, importVendors, type ManageContext } from "./manage/import-vendors";
export { pauseVendor, resumeVendor } from "./manage/set-paused";
export type { OperatorVendor, VendorOrigin } from "./manage/store";
export { type VendorFile, type VendorInput, vendorFileSchema, vendorInputSchema } from "./manage/vendor-input";
export {
  type DirectoryQuery,
  directoryHref,
  directorySorts,
  maxSearchLength,
  type PageParameters,
  readDirectoryQuery,
  readPageNumber,
} from "./pages/directory-query";
export { getVendorPage, type VendorPage } from "./pages/get-vendor-page";
export { type Directory, type DirectoryVendor, directoryPageSize, listDirectory } from "./pages/list-directory";
export type { VendorChange } from "./pages/store";
export { requireSeenVendor } from "./require-seen-vendor";
export type { Stats, VendorAnswer, VendorList, VendorSearch, VendorSearchQuery } from "./schemas";
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
export { searchVendors } from "./search-vendors";
export { getStatsTool, listVendorsTool, searchVendorsTool, type VendorToolContext, vendorTools } from "./tools";
