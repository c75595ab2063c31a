/** Sends this process's requests for Vercel Blob to a double; gives the way back. */
export function redirectBlob(origin: string): () => Promise<void>;
