export { type ChangeFilters, changeFiltersSchema, readFilters, toFilters } from "./read-filters";
export { matchesSubjects, type StoredFilters } from "./store";
