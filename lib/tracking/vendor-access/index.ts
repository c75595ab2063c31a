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
export { visibleTo } from "./store";
