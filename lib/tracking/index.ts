export {
  type AnnounceChange,
  countDue,
  type DueVendor,
  findDueIds,
  findDueVendors,
  findVendorsOfFetches,
  findVendorsToFetch,
  isFollower,
  postponeFetches,
  pruneFetches,
} from "./ingestion/index";
export { recordAbandonedFetch, type TrackOutcome } from "./track-vendor";
export {
  sourceOf,
  type TrackSummary,
  type TrackVendorsContext,
  trackVendors,
  type VendorSource,
} from "./track-vendors";
