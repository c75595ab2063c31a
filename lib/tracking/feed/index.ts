export type { ChangeFeedContext } from "./changes/change-feed";
export { type AtomFeed, getAtomFeed, getVendorAtomFeed } from "./changes/get-atom-feed";
export { getJsonFeed } from "./changes/get-json-feed";
export { type JsonFeed, jsonFeedSchema } from "./changes/schemas";
export {
  feedEndpoints,
  getAtomFeedEndpoint,
  getFeedEndpoint,
  getJsonFeedEndpoint,
  getVendorAtomFeedEndpoint,
} from "./endpoints";
export { type FeedContext, listFeed } from "./list-feed";
export { type Feed, type FeedEntry, type FeedQuery, feedQuerySchema, feedSchema } from "./schemas";
export { feedTools, getFeedTool } from "./tools";
