export { bundledModels, dayOf, ModelCatalogue } from "./catalogue";
export {
  getModelEndpoint,
  listModelsEndpoint,
  modelEndpoints,
  modelParamsSchema,
  modelQuerySchema,
} from "./endpoints";
export {
  getModel,
  listModelProviders,
  listModels,
  listNextEnds,
  type ModelFilters,
  type ModelsContext,
  modelPath,
} from "./list-models";
export { type Model, type ModelStatus, modelListSchema, modelStatuses } from "./schemas";
export { modelTools } from "./tools";
