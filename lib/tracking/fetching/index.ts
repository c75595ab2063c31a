export { decodeText, isBinary } from "./detect-content";
export type { FailedFetch, FetchContext, FileFetch } from "./fetch-context";
export { isRunFailure } from "./fetch-failure";
export { fetchFile } from "./fetch-file";
export { HostGate } from "./host-gate";
export { readModels } from "./read-models";
export { robotsToken } from "./robots";
export { RobotsCache } from "./robots-cache";
export { pruneHostSlots, pruneRobotsRules } from "./store";
