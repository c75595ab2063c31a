export type { FailedFetch, FetchContext, FileFetch, FileRequest } from "./fetch-context";
export { type FetchFailure, isRunFailure } from "./fetch-failure";
export { fetchFile } from "./fetch-file";
export { HostGate } from "./host-gate";
export { robotsToken } from "./robots";
export { RobotsCache } from "./robots-cache";
