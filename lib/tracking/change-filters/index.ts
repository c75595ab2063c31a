export { type ChangeFilters, changeFiltersSchema, readFilters, toFilters } from "./read-filters";
export { matchesModels, type StoredFilters } from "./store";
