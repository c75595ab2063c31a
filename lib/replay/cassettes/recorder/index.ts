export { buildRequest, type PromptFile, parsePromptFile, RequestError, type RequestParts } from "./build-request";
export type { Delta, RecordProgress } from "./capture";
export { type RecordLimits, recordLimits } from "./limits";
export { type RecordContext, type Recorded, type RecordInput, record } from "./record";
export { RecordError } from "./record-error";
export { type Exchange, redact } from "./redact";
