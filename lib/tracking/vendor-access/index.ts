export {
  filterTextSchema,
  isCoveredBy,
  isVisibleTo,
  neverFetched,
  notFetchedSince,
  ownAccountOf,
  requireCoveredVendor,
  requireToolVendor,
  requireVisibleVendor,
  type VendorAccess,
  vendorNotFound,
  vendorParamsSchema,
} from "./access";
export { isShownToEveryone, isVisibleToAccount, visibleTo } from "./store";
