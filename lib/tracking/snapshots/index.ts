export { getContentEndpoint, getSandboxedContentEndpoint, snapshotEndpoints } from "./endpoints";
export {
  type FailedFetch,
  type FetchContext,
  type FetchFailure,
  type FileFetch,
  fetchFile,
  HostGate,
  RobotsCache,
  robotsToken,
} from "./fetching/index";
export { getContent } from "./get-content";
export { getSandboxedContent, type SandboxedContent } from "./get-sandboxed-content";
export {
  blockedScore,
  type SnapshotDetail,
  type SnapshotMeta,
  snapshotDetailSchema,
  snapshotMetaSchema,
} from "./schemas";
export { nameFinding } from "./security/name-finding";
export { type Finding, scoreSecurity } from "./security/score-security";
export { latestSnapshots } from "./snapshot-detail";
export { type SnapshotMetaRow, snapshotMetaColumns, toSnapshotMeta } from "./snapshot-meta";
export { getVendorContentTool, type SnapshotToolContext, snapshotTools } from "./tools";
export { hashText, type PreparedVersion, prepareVersion } from "./versions/prepare-version";
export { insertVersion, pruneContents, pruneSnapshots, readSnapshotText, type VersionOrigin } from "./versions/store";
