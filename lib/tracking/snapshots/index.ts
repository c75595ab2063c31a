export { hashText, type PreparedVersion } from "./compute-version";
export { getContentEndpoint, getSandboxedContentEndpoint, snapshotEndpoints } from "./endpoints";
export { decodeText } from "./fetching/decode-text";
export type { FailedFetch, FetchContext, FileFetch } from "./fetching/fetch-context";
export { isRunFailure } from "./fetching/fetch-failure";
export { fetchFile } from "./fetching/fetch-file";
export { HostGate } from "./fetching/host-gate";
export { robotsToken } from "./fetching/robots";
export { RobotsCache } from "./fetching/robots-cache";
export { wrapContent } from "./neutralise-wrapper";
export { prepareVersion } from "./prepare-version";
export { getContent, getSandboxedContent, latestSnapshots, toSnapshotMeta } from "./read-snapshots";
export { type SnapshotDetail, snapshotDetailSchema, snapshotMetaSchema } from "./schemas";
export { nameFinding } from "./security/finding";
export { scoreSecurity } from "./security/score-security";
export {
  pruneContents,
  pruneCustomSnapshots,
  pruneHostSlots,
  pruneRobotsRules,
  pruneSnapshots,
  readSnapshotText,
  type SnapshotMetaRow,
  snapshotMetaColumns,
  versionParts,
} from "./store";
export { getVendorContentTool, type SnapshotToolContext, snapshotTools } from "./tools";
