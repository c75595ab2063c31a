export { type CaptureFormat, captureFormats, ImportError } from "./capture";
export { type Imported, type ImportInput, importCapture } from "./import-capture";
