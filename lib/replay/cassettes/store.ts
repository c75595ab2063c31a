import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemClock } from "#lib/platform/clock";
import { type Config, config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { hashOfEntry } from "#lib/platform/run-worker";
import { Catalogue } from "./catalogue";
import { hashJson } from "./encoding";
import { type EntriesFile, entriesFile } from "./entries-file";
import { parseCassette, type VerifiedCassette } from "./parse-cassette";
import { workerEntry } from "./read-entries";
import { parseSequences, type Sequences, sequencesFile } from "./sequences";
import { type BlobSettings, blobStore } from "./stores/blob-store";
import type { CassetteStore } from "./stores/cassette-store";
import { folderStore } from "./stores/folder-store";

/** Age at which a listing is reloaded, in milliseconds. A folder on a network drive may report no changes by itself. */
const listMaxAgeMs = 60_000;

/** Returns the settings of Vercel Blob, or undefined without its token. */
export function blobSettings({
  BLOB_READ_WRITE_TOKEN: token,
  CASSETTE_BLOB_PREFIX: prefix,
  CASSETTE_BLOB_ACCESS: access,
}: Config): BlobSettings | undefined {
  return token ? { token, prefix, access } : undefined;
}

/** Used if no store is configured, or Blob has no token: it lists nothing, and replay responds with 503. */
const noStore: CassetteStore = { kind: "none", list: async () => [], read: async () => null };

function configuredStore(settings: Config): CassetteStore {
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

/** Name in the data folder of what was found in the cassettes. */
const entriesFileName = "cassettes.ndjson";

function openEntriesFile(settings: Config): EntriesFile {
  const { CASSETTE_DIR, CASSETTE_STORE, CASSETTE_BLOB_PREFIX, BLOB_READ_WRITE_TOKEN: token = "" } = settings;
  return entriesFile(resolve(settings.TAPEDECK_DATA_DIR, entriesFileName), {
    place: hashJson([CASSETTE_STORE, resolve(CASSETTE_DIR), CASSETTE_BLOB_PREFIX, token]),
    code: () => hashOfEntry(workerEntry),
  });
}

function openCatalogue(): Catalogue {
  const settings = config();
  const store = configuredStore(settings);
  if (store.kind === "none") {
    log().warn({ store: settings.CASSETTE_STORE }, "no cassette store is configured: replay responds with 503");
  }
  return new Catalogue({
    store,
    log: log(),
    monotonicMs: systemClock.monotonicMs,
    maxAgeMs: listMaxAgeMs,
    entriesFile: openEntriesFile(settings),
  });
}

/** Returns the process's catalogue of the configured store. */
export function catalogue(): Catalogue {
  return processSingleton("catalogue", openCatalogue);
}

/** Reads and verifies a cassette from a file, or by id from the configured store; null if the store does not have it. */
export async function readStoredCassette(
  place: string,
  { isFile }: { isFile: boolean },
): Promise<VerifiedCassette | null> {
  if (isFile) return parseCassette(await readFile(place));
  const read = await configuredStore(config()).read(place);
  return read && parseCassette(read.bytes);
}

/** Reads and checks the sequence file of the configured store; null if there is none. Throws CassetteError. */
export async function readStoredSequences(): Promise<Sequences | null> {
  const read = await configuredStore(config()).read(sequencesFile);
  return read && parseSequences(read.bytes);
}

/** Returns the ids of all cassette files in the configured store, including invalid ones. */
export async function listStoredIds(): Promise<string[]> {
  const files = await configuredStore(config()).list();
  return files.map(({ id }) => id).sort();
}
