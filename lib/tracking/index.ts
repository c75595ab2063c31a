export type { AnnounceChange } from "./ingestion/index";
export { pruneFetches } from "./ingestion/index";
export { type TrackVendorsContext, type TrackVendorsOptions, trackVendors } from "./track-vendors";
