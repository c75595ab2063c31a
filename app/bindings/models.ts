import { getModel, getModelEndpoint, listModels, listModelsEndpoint } from "#lib/models/index";
import { bindWith } from "#lib/server/http/bindings";
import { withProducts } from "#lib/server/products";

const bind = bindWith(withProducts);

export const bindings = [bind(listModelsEndpoint, listModels), bind(getModelEndpoint, getModel)];
