export { getOpenApiEndpoint, openApiEndpoints } from "./endpoints";
export { getOpenApiText } from "./get-openapi";
export type {
  KnownValues,
  ReferenceBody,
  ReferenceOperation,
  ReferenceParameter,
  ReferenceResponse,
} from "./reference/describe-operation";
export {
  getReference,
  listReferenceGroups,
  type ReferenceGroup,
  type ReferenceOptions,
} from "./reference/get-reference";
