export { fetchFile } from "./fetch-file";
export type { FailedFetch, FetchContext, FetchFailure, FileFetch, FileRequest } from "./file-fetch";
export { HostGate } from "./host-gate";
export { robotsToken } from "./read-robots";
export { RobotsCache } from "./robots-cache";
