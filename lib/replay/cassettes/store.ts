import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemClock } from "#lib/platform/clock";
import { type Config, config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { Catalogue } from "./catalogue";
import { parseCassette, type VerifiedCassette } from "./parse-cassette";
import { type BlobSettings, blobStore } from "./stores/blob-store";
import type { CassetteStore } from "./stores/cassette-store";
import { folderStore } from "./stores/folder-store";

/** Age at which a catalogue from Vercel Blob is renewed, in milliseconds. */
const blobMaxAgeMs = 60_000;

/** Where Vercel Blob is and how to write to it; undefined without its token. */
export function blobSettings({
  BLOB_READ_WRITE_TOKEN: token,
  CASSETTE_BLOB_PREFIX: prefix,
  CASSETTE_BLOB_ACCESS: access,
}: Config): BlobSettings | undefined {
  return token ? { token, prefix, access } : undefined;
}

/** Stands in where no store is configured, or Blob without its token: lists nothing, and replay answers 503. */
const noStore: CassetteStore = { kind: "none", list: async () => [], read: async () => null };

/** The store that the configuration chooses. */
export function configuredStore(settings: Config): CassetteStore {
  switch (settings.CASSETTE_STORE) {
    case "none":
      return noStore;
    case "blob": {
      const blob = blobSettings(settings);
      return blob ? blobStore(blob) : noStore;
    }
    case "folder":
      return folderStore(resolve(settings.CASSETTE_DIR));
  }
}

function openCatalogue(): Catalogue {
  const store = configuredStore(config());
  if (store.kind === "none") {
    log().warn({ store: config().CASSETTE_STORE }, "no cassette store is configured; replay answers 503");
  }
  const maxAgeMs = store.kind === "blob" ? blobMaxAgeMs : Number.POSITIVE_INFINITY;
  return new Catalogue({ store, log: log(), monotonicMs: systemClock.monotonicMs, maxAgeMs });
}

/** The process's catalogue, from the configured store. */
export function catalogue(): Catalogue {
  return processSingleton("catalogue", openCatalogue);
}

/** Reads and verifies one cassette from a path or from the configured store; null where it is not there. */
export async function readStoredCassette(
  place: string,
  { isFile }: { isFile: boolean },
): Promise<VerifiedCassette | null> {
  if (isFile) return parseCassette(await readFile(place));
  const read = await configuredStore(config()).read(place);
  return read && parseCassette(read.bytes);
}

/** Ids of every cassette file in the configured store, broken ones included. */
export async function listStoredIds(): Promise<string[]> {
  const files = await configuredStore(config()).list();
  return files.map(({ id }) => id).sort();
}
