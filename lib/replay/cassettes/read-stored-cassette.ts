import { readFile } from "node:fs/promises";
import { config } from "#lib/platform/config";
import { parseCassette, type VerifiedCassette } from "./parse-cassette";
import { configuredStore } from "./store";

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
