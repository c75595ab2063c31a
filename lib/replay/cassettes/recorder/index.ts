export { buildRequest, parsePromptFile, RequestError } from "./build-request";
export type { RecordProgress } from "./capture";
export { type RecordLimits, recordLimits } from "./limits";
export { type RecordContext, type Recorded, type RecordInput, record } from "./record";
export { RecordError } from "./record-error";
export { redact } from "./redact";
