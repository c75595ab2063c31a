export { createFurtherKey, createKey, type IssuedKey, type KeyContext } from "./create-key";
export { endGraceEndpoint, getKeyEndpoint, keyEndpoints, rotateKeyEndpoint } from "./endpoints";
export { type ListedKey, listKeys, revokeKey, rotateKey } from "./manage-keys";
export { endPreviousKeys, getKey } from "./previous-keys";
export { anonymousCaller, type Caller, verifyKey } from "./verify-key";
