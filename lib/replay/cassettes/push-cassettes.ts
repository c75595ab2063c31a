import { parseCassette } from "./parse-cassette";
import { parseSequences, sequencesFile } from "./sequences";
import { type BlobSettings, blobStore, pushToBlob } from "./stores/blob-store";
import { type CassetteStore, placeOf } from "./stores/cassette-store";

type PushOutcome = "pushed" | "unchanged" | "would push" | "failed";
/** `id` is `sequences.json` for the sequence file. */
export type Pushed = { id: string; outcome: PushOutcome; byteSize: number; url: string | null; reason: string | null };

type PushContext = { source: CassetteStore; blob: BlobSettings };
type PushInput = {
  /** Ids to push; empty for all cassettes of the source and its sequence file. */
  ids: readonly string[];
  dryRun: boolean;
};

/** Returns the messages of an error and its causes. */
function explain(error: unknown): string {
  const texts: string[] = [];
  for (let current = error; current instanceof Error && texts.length < 4; current = current.cause)
    texts.push(current.message);
  return texts.join(": ");
}

/** Returns the bytes of a valid file; null if it is the sequence file and there is none. */
async function readVerified(source: CassetteStore, id: string): Promise<Uint8Array | null> {
  const read = await source.read(id);
  if (id === sequencesFile) {
    if (read) parseSequences(read.bytes);
    return read?.bytes ?? null;
  }
  if (!read) throw new Error("not found in the folder");
  const { cassette } = parseCassette(read.bytes);
  if (cassette.id !== id) throw new Error(`has the id ${cassette.id}`);
  return read.bytes;
}

/**
 * Compares the content of a remote file of the same size, because Blob's ETags are not content hashes. The sequence file
 * is not listed, so its size is not known.
 */
async function isUnchanged(
  target: CassetteStore,
  id: string,
  bytes: Uint8Array,
  remoteSize: number | undefined,
): Promise<boolean> {
  if (id !== sequencesFile && remoteSize !== bytes.byteLength) return false;
  const remote = await target.read(id);
  return remote !== null && Buffer.compare(remote.bytes, bytes) === 0;
}

/**
 * Uploads cassettes and the sequence file to Vercel Blob, each verified first, and skips those that are already there
 * unchanged. Yields the outcome of each; a failed one does not stop the others. Throws StoreUnavailableError if Blob does
 * not respond.
 */
export async function* pushCassettes(
  { source, blob }: PushContext,
  { ids, dryRun }: PushInput,
): AsyncGenerator<Pushed> {
  const target = blobStore(blob);
  const remoteSizes = new Map((await target.list()).map(({ id, byteSize }) => [id, byteSize]));
  const selected = ids.length > 0 ? ids : [...(await source.list()).map(({ id }) => id).sort(), sequencesFile];
  for (const id of selected) {
    try {
      const bytes = await readVerified(source, id);
      if (!bytes) continue;
      const result = { id, byteSize: bytes.byteLength, url: null, reason: null };
      if (await isUnchanged(target, id, bytes, remoteSizes.get(id))) yield { ...result, outcome: "unchanged" };
      else if (dryRun) yield { ...result, outcome: "would push" };
      else {
        const url = await pushToBlob(blob, placeOf(id).path, Buffer.from(bytes).toString("utf8"));
        yield { ...result, outcome: "pushed", url };
      }
    } catch (error) {
      yield { id, outcome: "failed", byteSize: 0, url: null, reason: explain(error) };
    }
  }
}
