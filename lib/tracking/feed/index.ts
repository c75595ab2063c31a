export { getAtomFeed, getJsonFeed, getVendorAtomFeed, getVendorJsonFeed } from "./changes/feed-formats";
export {
  type ChangeFilters,
  changesHref,
  changesQuerySchema,
  readChangeFilters,
  readInvalidDays,
} from "./changes/query";
export { type ChangePage, listChanges } from "./changes/read-changes";
export {
  feedEndpoints,
  getAtomFeedEndpoint,
  getFeedEndpoint,
  getJsonFeedEndpoint,
  getVendorAtomFeedEndpoint,
  getVendorJsonFeedEndpoint,
} from "./endpoints";
export { type FeedContext, listFeed } from "./list-feed";
export { feedQuerySchema, feedSchema, jsonFeedSchema } from "./schemas";
export { feedTools, getFeedTool } from "./tools";
