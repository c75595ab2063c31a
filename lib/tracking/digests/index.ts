export { readAddress, reencryptContacts } from "./contacts";
export {
  changeDigestEndpoint,
  confirmDigestEndpoint,
  createDigestEndpoint,
  deleteDigestEndpoint,
  digestEndpoints,
  getConfirmationEndpoint,
  getUnsubscriptionEndpoint,
  listDigestsEndpoint,
  unsubscribeEndpoint,
} from "./endpoints";
export { confirmDigest, getConfirmation, getUnsubscription, type LinkedDigest, unsubscribe } from "./follow-links";
export { joinNames } from "./mails/confirmation";
export { changeDigest, createDigest, deleteDigest, listDigests } from "./manage-digests";
export { sendDigests } from "./sending/send-digests";
export { digestItemsPart, findWaitingItems, pruneDigests, replaceItems } from "./store";
