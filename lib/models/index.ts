export { ageWarning, bundledModels, dayOf, daysIfOld, ModelCatalogue } from "./catalogue";
export {
  compareModels,
  type DescribedModelChange,
  describeModelChange,
  type ModelChange,
  resolveNames,
  summarizeChanges,
} from "./compare-models";
export { currentModels, type ModelsContext } from "./current-models";
export {
  getModelEndpoint,
  listModelsEndpoint,
  modelChangeExample,
  modelEndpoints,
  modelParamsSchema,
  modelQuerySchema,
} from "./endpoints";
export {
  getModel,
  listModels,
  type ModelFilters,
  modelPath,
  namedFirst,
  nextEnds,
  toModelChange,
} from "./list-models";
export { caveatOf, keyOf } from "./model-names";
export { findNamed, providersOf } from "./named-models";
export {
  isModelReader,
  type ModelReader,
  ModelSourceError,
  modelReaders,
  parseRows,
  readModelSource,
} from "./read-source";
export {
  type Model,
  type ModelChangeItem,
  type ModelDetail,
  type ModelStatus,
  modelChangeSchema,
  modelListSchema,
  modelStatuses,
  statedModelSchema,
} from "./schemas";
export { findChangedNames, findChangesIn } from "./store";
export { modelTools } from "./tools";
