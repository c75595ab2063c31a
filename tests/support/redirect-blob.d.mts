/** Redirects this process's requests for Vercel Blob to a double. Returns the function that undoes it. */
export function redirectBlob(origin: string): () => Promise<void>;
