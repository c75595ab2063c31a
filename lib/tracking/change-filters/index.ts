export { type ChangeFilters, changeFiltersSchema, maxFilterVendorCount, readFilters, toFilters } from "./read-filters";
export { matchesSubjects, type StoredFilters } from "./store";
