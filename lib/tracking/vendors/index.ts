export { addCustomVendor, listCustomVendors, removeCustomVendor, renameVendor } from "./custom/custom-vendors";
export {
  addVendorEndpoint,
  listCustomVendorsEndpoint,
  removeVendorEndpoint,
  renameVendorEndpoint,
} from "./custom/endpoints";
export { maxCustomCount } from "./custom/schemas";
export { customVendorTools } from "./custom/tools";
export {
  getStatsEndpoint,
  getVendorEndpoint,
  listVendorsEndpoint,
  searchVendorsEndpoint,
  vendorEndpoints,
} from "./endpoints";
export { getStats } from "./get-stats";
export {
  addVendor,
  importVendors,
  type ManageContext,
  pauseVendor,
  removeVendor,
  requireRemovable,
  resumeVendor,
} from "./manage/change-vendors";
export {
  exportVendors,
  getHistory,
  listOperatorVendors,
  requireFetchable,
  requireVendor,
  type VendorHistory,
} from "./manage/read-operator-vendors";
export { type VendorFile, type VendorInput, vendorFileSchema, vendorInputSchema } from "./manage/schemas";
export type { OperatorVendor } from "./manage/store";
export {
  type DirectoryQuery,
  directoryHref,
  maxSearchLength,
  readDirectoryQuery,
  readPageNumber,
} from "./pages/directory-query";
export { isFetchingScheduled } from "./pages/is-fetching-scheduled";
export { type Directory, type DirectoryVendor, directoryPageSize, listDirectory } from "./pages/list-directory";
export { listFollowable, maxFollowableCount } from "./pages/list-followable";
export { getVendorPage, type VendorPage } from "./pages/vendor-page";
export { getVendor, listVendors, searchVendors } from "./read-vendors";
export {
  categoryOf,
  type Stats,
  slugOf,
  storedCategory,
  type VendorCategory,
  type VendorStatus,
  type VendorSummary,
  vendorCategories,
  vendorStatuses,
  vendorSummarySchema,
} from "./schemas";
export { getVendorFacts, type VendorChange, type VendorFacts } from "./store";
export { listVendorsTool, searchVendorsTool, vendorTools } from "./tools";
