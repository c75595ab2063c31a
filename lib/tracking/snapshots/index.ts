export { getContentEndpoint, getSandboxedContentEndpoint, snapshotEndpoints } from "./endpoints";
export {
  type FailedFetch,
  type FetchContext,
  type FetchFailure,
  type FileFetch,
  fetchFile,
  HostGate,
  isRunFailure,
  RobotsCache,
  robotsToken,
} from "./fetching/index";
export { getContent, getSandboxedContent, type SandboxedContent } from "./get-content";
export { hashText, type PreparedVersion, prepareVersion } from "./prepare-version";
export {
  blockedScore,
  type SnapshotDetail,
  type SnapshotMeta,
  snapshotDetailSchema,
  snapshotMetaSchema,
} from "./schemas";
export { nameFinding } from "./security/finding";
export { type Finding, scoreSecurity } from "./security/score-security";
export { latestSnapshots, toSnapshotMeta } from "./snapshot-meta";
export {
  insertVersion,
  pruneContents,
  pruneSnapshots,
  readSnapshotText,
  type SnapshotMetaRow,
  snapshotMetaColumns,
  type VersionOrigin,
} from "./store";
export { getVendorContentTool, type SnapshotToolContext, snapshotTools } from "./tools";
