/** One key for the tests' secrets. */
export const testKeys = [Buffer.alloc(32, 7)] as const;
