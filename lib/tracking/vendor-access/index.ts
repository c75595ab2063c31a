export {
  filterTextSchema,
  isCoveredBy,
  isVisibleTo,
  requireVisibleVendor,
  type VendorAccess,
  vendorNotFound,
  vendorParamsSchema,
} from "./access";
export { blockedScore, explainBlocked } from "./blocked-content";
