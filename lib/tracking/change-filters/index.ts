export { type ChangeFilters, changeFiltersSchema, maxFilterVendorCount, readFilters, toFilters } from "./read-filters";
export type { StoredFilters } from "./store";
