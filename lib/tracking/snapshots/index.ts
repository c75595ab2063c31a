export { hashText, type PreparedVersion, prepareVersion } from "./compute-version";
export { getContentEndpoint, getSandboxedContentEndpoint, snapshotEndpoints } from "./endpoints";
export { getContent, getSandboxedContent, latestSnapshots, toSnapshotMeta, wrapContent } from "./read-snapshots";
export { snapshotDetailSchema, snapshotMetaSchema } from "./schemas";
export {
  pruneContents,
  pruneCustomSnapshots,
  pruneSnapshots,
  readSnapshotText,
  type SnapshotMetaRow,
  snapshotMetaColumns,
} from "./store";
export { getVendorContentTool, type SnapshotToolContext, snapshotTools } from "./tools";
