export { type CaptureFormat, captureFormats } from "./detect-format";
export { type Imported, type ImportInput, importCapture } from "./import-capture";
export { ImportError } from "./import-error";
