/** A cassette file in a store, before it is read. */
export type StoredFile = {
  /** `<vertical>/<slug>`. */
  id: string;
  /** Changes whenever the file's content does: an ETag, or a time and size. */
  revision: string;
  byteSize: number;
};

/** A file's bytes with the revision that they are of. At most one byte over the size bound is read. */
export type ReadFile = { bytes: Uint8Array; revision: string };

/** Where cassettes come from. Both backends, folder and Vercel Blob, answer alike. */
export type CassetteStore = {
  kind: "folder" | "blob" | "none";
  /** Every cassette file; throws StoreUnavailableError where the store does not answer. */
  list(): Promise<StoredFile[]>;
  /** One file as it is now; null where it is gone. */
  read(id: string): Promise<ReadFile | null>;
  /** Calls back when files may have changed; returns the way to stop. Absent where a store cannot tell. */
  watch?(onChange: () => void): () => void;
};

/** The store does not answer; the message is for the log. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}

/** `legal/nda-review.json` to `legal/nda-review`; undefined for any other path. */
export function idOfPath(path: string): string | undefined {
  return /^([a-z-]+\/[a-z0-9-]+)\.json$/.exec(path)?.[1];
}
