export {
  filterTextSchema,
  isCoveredBy,
  isVisibleTo,
  ownAccountOf,
  requireCoveredVendor,
  requireVisibleVendor,
  type VendorAccess,
  vendorNotFound,
  vendorParamsSchema,
} from "./access";
export { isShownToEveryone, isVisibleToAccount, visibleTo } from "./store";
