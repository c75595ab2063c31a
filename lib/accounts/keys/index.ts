export { anonymousCaller, type Caller } from "#lib/accounts/plans/index";
export { createFurtherKey, createKey, type IssuedKey, type KeyContext } from "./create-key";
export { endGraceEndpoint, getKeyEndpoint, keyEndpoints, rotateKeyEndpoint } from "./endpoints";
export { endPreviousKeys, getKey, type ListedKey, listKeys, revokeKey, rotateKey } from "./manage-keys";
export { verifyKey } from "./verify-key";
