export { maxOperationCount, type OperationChange } from "./compare-operations";
export { type DescribedOperation, describeDifference, summarizeOperations } from "./describe-operations";
export { OpenApiError } from "./document";
export { operationNameSchema } from "./operation-names";
export { compareOpenApi, isOpenApi, readOpenApi } from "./run-openapi";
export { differenceSchema, type OperationChangeItem, operationChangeSchema } from "./schemas";
export { findOperationsIn, isOfCalls, toOperationChange } from "./store";
