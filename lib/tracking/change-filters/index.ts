export {
  type ChangeFilters,
  changeFiltersSchema,
  findUnknownModels,
  maxFilterVendorCount,
  readFilters,
  tellUnknownModels,
  toFilters,
  unknownModelsSchema,
} from "./read-filters";
export { matchesSubjects, type StoredFilters } from "./store";
