export { createFurtherKey, createKey, type IssuedKey, type KeyContext } from "./create-key";
export { endGraceEndpoint, getKeyEndpoint, keyEndpoints, rotateKeyEndpoint } from "./endpoints";
export { endPreviousKeys, getKey, type ListedKey, listKeys, revokeKey, rotateKey } from "./manage-keys";
export { anonymousCaller, type Caller, verifyKey } from "./verify-key";
