export { createFurtherKey, createKey, type IssuedKey, type KeyContext } from "./create-key";
export { keyEndpoints, rotateKeyEndpoint } from "./endpoints";
export { type ListedKey, listKeys, revokeKey, rotateKey } from "./manage-keys";
export { anonymousCaller, type Caller, verifyKey } from "./verify-key";
