export { categoryOf, storedCategory } from "./category";
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
