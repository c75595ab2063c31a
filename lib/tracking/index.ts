export type { AnnounceChange } from "./ingestion/index";
export { pruneFetches } from "./ingestion/index";
export type { TrackContext, TrackOutcome } from "./track-vendor";
export { type TrackSummary, type TrackVendorsContext, type TrackVendorsOptions, trackVendors } from "./track-vendors";
