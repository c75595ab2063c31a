export {
  filterTextSchema,
  findLastFetch,
  isCoveredBy,
  isVisibleTo,
  lastFetchedAtSchema,
  neverFetched,
  noteOnFetches,
  notFetchedSince,
  ownAccountOf,
  requireCoveredVendor,
  requireToolVendor,
  requireVisibleVendor,
  unknownVendor,
  type VendorAccess,
  vendorNotFound,
  vendorParamsSchema,
} from "./access";
export { isShownToEveryone, isVisibleToAccount, visibleTo } from "./store";
