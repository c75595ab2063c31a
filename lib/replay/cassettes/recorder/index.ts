export { buildRequest, parsePromptFile, RequestError } from "./build-request";
export { type Listeners, type RecordProgress, recordLimits } from "./capture";
export { type RecordContext, type Recorded, type RecordInput, record } from "./record";
export { RecordError } from "./record-error";
export { redact } from "./redact";
