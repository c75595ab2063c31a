export { type NextFetchStatus, statusAfterFailure, statusAfterSuccess } from "./fetch-status";
export {
  type AnnounceChange,
  countDue,
  type DueVendor,
  type FetchRecord,
  findDueIds,
  findDueVendors,
  findFollowers,
  findVendorsOfFetches,
  findVendorsToFetch,
  isFollower,
  postponeFetches,
  pruneFetches,
  StaleVendorError,
  type StoredVersion,
  storeFetch,
} from "./store";
