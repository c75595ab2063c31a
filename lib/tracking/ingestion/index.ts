export {
  type FetchIntervals,
  maxFetchWaitMs,
  type NextFetchStatus,
  statusAfterFailure,
  statusAfterSuccess,
} from "./fetch-status";
export {
  countDue,
  type DueVendor,
  findDueIds,
  findDueVendors,
  findFollowers,
  findVendorsOfFetches,
  findVendorsToFetch,
  isFollower,
  postponeFetches,
  pruneFetches,
  recallFetches,
} from "./store";
export { type FetchRecord, StaleVendorError, type StoredVersion, storeFetch } from "./store-fetch";
