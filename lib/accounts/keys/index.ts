export { anonymousCaller, type CallContext, type Caller } from "#lib/accounts/plans/index";
export { createFurtherKey, createKey, type IssuedKey, type KeyContext } from "./create-key";
export {
  addKeyEndpoint,
  endGraceEndpoint,
  endKeyEndpoint,
  getKeyEndpoint,
  keyEndpoints,
  listAccountKeysEndpoint,
  rotateKeyEndpoint,
} from "./endpoints";
export { deleteAccount, exportAccount, listAccounts } from "./manage-accounts";
export {
  addKey,
  endKey,
  endPreviousKeys,
  getKey,
  type ListedKey,
  listAccountKeys,
  listKeys,
  revokeKey,
  rotateKey,
} from "./manage-keys";
export { verifyKey } from "./verify-key";
