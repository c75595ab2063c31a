export { getAtomFeed, getJsonFeed, getVendorAtomFeed } from "./changes/feed-formats";
export {
  feedEndpoints,
  getAtomFeedEndpoint,
  getFeedEndpoint,
  getJsonFeedEndpoint,
  getVendorAtomFeedEndpoint,
} from "./endpoints";
export { type FeedContext, listFeed } from "./list-feed";
export { feedQuerySchema, feedSchema, jsonFeedSchema } from "./schemas";
export { feedTools, getFeedTool } from "./tools";
