export { type AtomFeed, getAtomFeed, getJsonFeed, getVendorAtomFeed } from "./changes/feed-formats";
export type { ChangeFeedContext } from "./changes/read-changes";
export {
  feedEndpoints,
  getAtomFeedEndpoint,
  getFeedEndpoint,
  getJsonFeedEndpoint,
  getVendorAtomFeedEndpoint,
} from "./endpoints";
export { type FeedContext, listFeed } from "./list-feed";
export {
  type Feed,
  type FeedEntry,
  type FeedQuery,
  feedQuerySchema,
  feedSchema,
  type JsonFeed,
  jsonFeedSchema,
} from "./schemas";
export { feedTools, getFeedTool } from "./tools";
