export { statusAfterFailure, statusAfterSuccess } from "./fetch-status";
export {
  type AnnounceChange,
  countDue,
  type DueVendor,
  type FetchRecord,
  findDueIds,
  findDueVendors,
  findVendorsToFetch,
  postponeFetches,
  pruneFetches,
  StaleVendorError,
  type StoredVersion,
  storeFetch,
} from "./store";
