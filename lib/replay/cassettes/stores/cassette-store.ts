import { maxCassetteByteSize } from "../format";
import { isCassetteId } from "../schemas";
import { maxSequencesByteSize, sequencesFile } from "../sequences";

/** A cassette file as listed by a store. */
export type StoredFile = {
  /** `<folder>/<slug>`. */
  id: string;
  /** Changes whenever the file's content does: an ETag, or modification time and size. */
  revision: string;
  byteSize: number;
};

/** A file's bytes and their revision. At most one byte more than the size limit is read. */
export type ReadFile = { bytes: Uint8Array; revision: string };

/** A source of cassettes: a folder or Vercel Blob. */
export type CassetteStore = {
  kind: "folder" | "blob" | "none";
  /** Lists all cassette files. Throws StoreUnavailableError if the store does not respond. */
  list(): Promise<StoredFile[]>;
  /** Reads the current version of a cassette, or of the sequence file by its name; null if it does not exist. */
  read(id: string): Promise<ReadFile | null>;
  /** Replaces a file as a whole; false if it does not exist. Throws WriteError. Absent if this is not supported. */
  replace?(id: string, bytes: Uint8Array): Promise<boolean>;
  /** Calls back when files may have changed; returns a function that stops watching. Absent if not supported. */
  watch?(onChange: () => void): () => void;
};

/** The store does not respond; the message is for the log. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}

/** Returns `legal/nda-review` for `legal/nda-review.json`, and undefined for any other path. */
export function idOfPath(path: string): string | undefined {
  const [, id = ""] = /^(.+)\.json$/.exec(path) ?? [];
  return isCassetteId(id) ? id : undefined;
}

/** Returns the path of a cassette, or of the sequence file, in a store, and its largest size. */
export function placeOf(id: string): { path: string; maxByteSize: number } {
  if (id === sequencesFile) return { path: id, maxByteSize: maxSequencesByteSize };
  return { path: `${id}.json`, maxByteSize: maxCassetteByteSize };
}
