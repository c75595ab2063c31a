export { hashText, type PreparedVersion, prepareVersion } from "./compute-version";
export {
  exampleSnapshot,
  exampleSnapshotMeta,
  getContentEndpoint,
  getSandboxedContentEndpoint,
  snapshotEndpoints,
} from "./endpoints";
export {
  getContent,
  getSandboxedContent,
  latestSnapshots,
  toSnapshotDetail,
  toSnapshotMeta,
  wrapContent,
} from "./read-snapshots";
export { snapshotDetailSchema, snapshotMetaSchema } from "./schemas";
export {
  findFailure,
  pruneContents,
  pruneCustomSnapshots,
  pruneSnapshots,
  readSnapshotText,
  type SnapshotMetaRow,
  type SnapshotRow,
  snapshotMetaColumns,
} from "./store";
export { getVendorContentTool, snapshotTools } from "./tools";
