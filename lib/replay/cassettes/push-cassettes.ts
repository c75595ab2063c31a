import { parseCassette } from "./parse-cassette";
import { type BlobSettings, blobStore, pushToBlob } from "./stores/blob-store";
import type { CassetteStore } from "./stores/cassette-store";

export type PushOutcome = "pushed" | "unchanged" | "would push" | "failed";
export type Pushed = { id: string; outcome: PushOutcome; byteSize: number; url: string | null; reason: string | null };

type PushContext = { source: CassetteStore; blob: BlobSettings };
type PushInput = {
  /** Cassettes to push; empty for all of the source. */
  ids: readonly string[];
  dryRun: boolean;
};

/** A message with its causes, which say what really happened. */
function explain(error: unknown): string {
  const texts: string[] = [];
  for (let current = error; current instanceof Error && texts.length < 4; current = current.cause)
    texts.push(current.message);
  return texts.join(": ");
}

async function readVerified(source: CassetteStore, id: string): Promise<Uint8Array> {
  const read = await source.read(id);
  if (!read) throw new Error("there is no such cassette in the folder");
  const { cassette } = parseCassette(read.bytes);
  if (cassette.id !== id) throw new Error(`says that its id is ${cassette.id}`);
  return read.bytes;
}

/** Blob's ETags are no hashes of the content, so a file of the same size is read and compared. */
async function isThere(
  target: CassetteStore,
  id: string,
  bytes: Uint8Array,
  remoteSize: number | undefined,
): Promise<boolean> {
  if (remoteSize !== bytes.byteLength) return false;
  const remote = await target.read(id);
  return remote !== null && Buffer.compare(remote.bytes, bytes) === 0;
}

/**
 * Puts cassettes into Vercel Blob, each verified first, and leaves alone those that are there already. Tells of each
 * as it is done; one that fails does not keep back the others. Throws StoreUnavailableError where Blob does not answer.
 */
export async function* pushCassettes(
  { source, blob }: PushContext,
  { ids, dryRun }: PushInput,
): AsyncGenerator<Pushed> {
  const target = blobStore(blob);
  const remoteSizes = new Map((await target.list()).map(({ id, byteSize }) => [id, byteSize]));
  const wanted = ids.length > 0 ? ids : (await source.list()).map(({ id }) => id).sort();
  for (const id of wanted) {
    try {
      const bytes = await readVerified(source, id);
      const result = { id, byteSize: bytes.byteLength, url: null, reason: null };
      if (await isThere(target, id, bytes, remoteSizes.get(id))) yield { ...result, outcome: "unchanged" };
      else if (dryRun) yield { ...result, outcome: "would push" };
      else {
        const url = await pushToBlob(blob, id, Buffer.from(bytes).toString("utf8"));
        yield { ...result, outcome: "pushed", url };
      }
    } catch (error) {
      yield { id, outcome: "failed", byteSize: 0, url: null, reason: explain(error) };
    }
  }
}
