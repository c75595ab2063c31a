export { searchEndpoint, searchEndpoints } from "./endpoints";
export { syncHostedIndex } from "./hosted/sync-hosted-index";
export { LiveIndex } from "./live-index";
export { findNearestCassettes } from "./nearest-cassette";
export type { SearchAnswer } from "./schemas";
export { noWordsHint, type SearchContext, search } from "./search";
export { queryTerms, tokenize } from "./terms";
export { searchTools } from "./tools";
