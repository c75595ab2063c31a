export { anonymousCaller, type Caller } from "./caller";
export { createFurtherKey, createKey, type IssuedKey, type KeyContext } from "./create-key";
export { keyEndpoints, rotateKeyEndpoint } from "./endpoints";
export type { KeyState } from "./key-state";
export { type ListedKey, listKeys } from "./list-keys";
export { revokeKey } from "./revoke-key";
export { rotateKey } from "./rotate-key";
export type { StoredKey } from "./store";
export { verifyKey } from "./verify-key";
