export { buildRequest, parsePromptFile, RequestError } from "./build-request";
export type { Listeners, RecordProgress } from "./capture";
export { recordLimits } from "./limits";
export { type RecordContext, type Recorded, type RecordInput, record } from "./record";
export { RecordError } from "./record-error";
export { redact } from "./redact";
