export { bundledModels, dayOf, ModelCatalogue } from "./catalogue";
export { type Model, type ModelStatus, modelListSchema } from "./schemas";
