export { statusAfterFailure, statusAfterSuccess } from "./fetch-status";
export {
  type AnnounceChange,
  type ClaimedVendor,
  ClaimLostError,
  type ClaimScope,
  claimVendors,
  countDue,
  type FetchRecord,
  pruneFetches,
  releaseClaims,
  type StoredVersion,
  storeFetch,
} from "./store";
