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
export { type SnapshotMeta, snapshotMetaSchema } from "./schemas";
export { type Finding, scoreSecurity } from "./security/score-security";
export { type SnapshotMetaRow, snapshotMetaColumns, toSnapshotMeta } from "./snapshot-meta";
export { hashText, type PreparedVersion, prepareVersion } from "./versions/prepare-version";
export { insertVersion, pruneContents, pruneSnapshots, readSnapshotText, type VersionOrigin } from "./versions/store";
