export { blockedScore, explainBlocked } from "#lib/contract/blocked-content";
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
