export { createFurtherKey, createKey, type IssuedKey, type KeyContext } from "./create-key";
export { keyEndpoints, rotateKeyEndpoint } from "./endpoints";
export { type ListedKey, listKeys, revokeKey } from "./manage-keys";
export { rotateKey } from "./rotate-key";
export { anonymousCaller, type Caller, verifyKey } from "./verify-key";
