export { readFilters, toFilters } from "./read-filters";
export { type ChangeFilters, changeFiltersSchema, maxFilterVendorCount } from "./schemas";
export type { StoredFilters } from "./store";
