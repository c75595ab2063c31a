export { endpoints } from "./all-endpoints";
export { getOpenApiEndpoint, openApiEndpoints } from "./endpoints";
export { getOpenApi } from "./get-openapi";
