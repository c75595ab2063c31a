export {
  countDue,
  type DueVendor,
  findDueIds,
  findDueVendors,
  findVendorsOfFetches,
  findVendorsToFetch,
  isFollower,
  maxFetchWaitMs,
  postponeFetches,
  pruneFetches,
  recallFetches,
} from "./ingestion/index";
export { recordAbandonedFetch, type TrackOutcome } from "./track-vendor";
export { sourceOf, type TrackVendorsContext, trackVendors, type VendorSource } from "./track-vendors";
