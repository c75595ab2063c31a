export { buildRequest, RequestError, type RequestParts } from "./build-request";
export type { RecordProgress } from "./capture";
export { type RecordLimits, recordLimits } from "./limits";
export { type PromptFile, parsePromptFile } from "./parse-prompt-file";
export { type RecordContext, type Recorded, type RecordInput, record } from "./record";
export { RecordError } from "./record-error";
export { type Exchange, redact } from "./redact";
export type { Delta } from "./stream-watcher";
