export { type ChangeFile, exportChanges } from "./changes/export-changes";
export { getAtomFeed, getJsonFeed, getVendorAtomFeed, getVendorJsonFeed } from "./changes/feed-formats";
export { type ChangePage, getChangeList, listChanges, suggestVendors } from "./changes/list-changes";
export {
  acceptedFilters,
  type ChangeFilters,
  changesHref,
  changesQuerySchema,
  readChangeFilters,
} from "./changes/query";
export { titleOfFilters } from "./changes/read-changes";
export {
  exportChangesAsCsvEndpoint,
  exportChangesAsJsonLinesEndpoint,
  feedEndpoints,
  getAtomFeedEndpoint,
  getFeedEndpoint,
  getJsonFeedEndpoint,
  getVendorAtomFeedEndpoint,
  getVendorJsonFeedEndpoint,
  listChangesEndpoint,
} from "./endpoints";
export { listFeed } from "./list-feed";
export { feedQuerySchema, feedSchema, jsonFeedSchema } from "./schemas";
export { feedTools, getFeedTool } from "./tools";
