export { searchEndpoint, searchEndpoints } from "./endpoints";
export { syncHostedIndex } from "./hosted/sync-hosted-index";
export { type Found, LiveIndex } from "./live-index";
export { findNearestCassette } from "./nearest-cassette";
export type { Parts } from "./ranking/term-index";
export type { SearchAnswer, SearchHit } from "./schemas";
export { type SearchContext, search } from "./search";
export { queryTerms, tokenize } from "./terms";
export { searchTools } from "./tools";
