import { getModel, getModelEndpoint, listModels, listModelsEndpoint } from "#lib/models/index";
import { bind } from "#lib/server/http/bindings";

export const bindings = [bind(listModelsEndpoint, listModels), bind(getModelEndpoint, getModel)];
