/** Encryption key for the secrets in tests. */
export const testKeys = [Buffer.alloc(32, 7)] as const;
