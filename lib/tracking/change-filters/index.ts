export { type ChangeFilters, changeFiltersSchema, readFilters, toFilters } from "./read-filters";
export type { StoredFilters } from "./store";
