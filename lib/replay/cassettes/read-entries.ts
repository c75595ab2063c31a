import { setImmediate as nextTurn } from "node:timers/promises";
import pLimit from "p-limit";
import type { Log } from "#lib/platform/log";
import { runInWorker, WorkerError } from "#lib/platform/run-worker";
import { CassetteError } from "./decode-cassette";
import { describeCassette } from "./describe-cassette";
import { maxCassetteByteSize } from "./format";
import { joinTexts, type PackedSummary, packSummary, type SummaryParts, splitSummary } from "./packed-summary";
import { parseCassette, type VerifiedCassette } from "./parse-cassette";
import { type Recording, toRecording } from "./recording";
import type { CassetteStore, ReadFile, StoredFile } from "./stores/cassette-store";

/** `summary` is null for a file that failed verification: it is not read again until its revision changes. */
export type Entry = { revision: string; summary: PackedSummary | null };

export type PlayableFile = { revision: string; recording: Recording };

/** A file of a catalogue as it was read. */
export type CassetteFile = ReadFile & { id: string };

const readConcurrency = 4;
/** So many files are verified in a worker thread. Fewer are verified at once, and their recordings are kept. */
export const minThreadCount = 64;
/** Most bytes of files that are in memory at the same time. */
const maxBatchByteSize = 16 * 1024 * 1024;
export const workerEntry = { name: "cassette-worker", moduleUrl: import.meta.url };
const workerLimits = { timeoutMs: 120_000, maxHeapMib: 1024 };

type Context = {
  store: CassetteStore;
  log: Log;
  known: ReadonlyMap<string, Entry>;
  keep: (id: string, file: PlayableFile) => void;
};

type Described = { parts: SummaryParts; recording?: Recording } | { refusal: string };

/** Parses a file. Throws CassetteError for one that must not be replayed. */
export function parseFile({ id, bytes }: CassetteFile): VerifiedCassette {
  const verified = parseCassette(bytes);
  if (verified.cassette.id !== id) throw new CassetteError(`has the id ${verified.cassette.id}`);
  return verified;
}

export function reasonOf(error: unknown): string {
  return error instanceof CassetteError ? error.message : String(error);
}

export function logRefusal(log: Log, id: string, reason: string): void {
  log.warn({ cassette: id, reason }, `cassette ${id} is ignored: ${reason}`);
}

function describeFile(file: CassetteFile, withRecording: boolean): Described {
  try {
    const parsed = parseFile(file);
    const parts = splitSummary(describeCassette(parsed));
    return { parts, ...(withRecording && { recording: toRecording(parsed) }) };
  } catch (error) {
    return { refusal: reasonOf(error) };
  }
}

/** Describes files in the worker thread, which returns no recordings: they would be copied. */
export function describeFiles(files: readonly CassetteFile[]): Described[] {
  const described = files.map((file) => describeFile(file, false));
  joinTexts(described.flatMap((each) => ("parts" in each ? each.parts : [])));
  return described;
}

/** Moves the files to the thread, so that there are no copies of them in memory. */
function describeInThread(files: CassetteFile[]): Promise<Described[]> {
  // Small buffers can share their memory.
  const owned = files.filter(({ bytes }) => bytes.byteLength === bytes.buffer.byteLength);
  const buffers = owned.map(({ bytes }) => bytes.buffer as ArrayBuffer);
  return runInWorker<Described[]>(workerEntry, files, workerLimits, buffers);
}

async function describeHere(files: readonly CassetteFile[]): Promise<Described[]> {
  const described: Described[] = [];
  for (const file of files) {
    described.push(describeFile(file, true));
    await nextTurn();
  }
  return described;
}

function batchesOf(files: readonly StoredFile[]): StoredFile[][] {
  const batches: StoredFile[][] = [];
  let byteSize = Number.POSITIVE_INFINITY;
  for (const file of files) {
    const batch = batches.at(-1);
    byteSize += file.byteSize;
    if (batch && byteSize <= maxBatchByteSize) batch.push(file);
    else {
      batches.push([file]);
      byteSize = file.byteSize;
    }
  }
  return batches;
}

/**
 * Returns the entries of files, in their order: the known one of the same revision, else what the file has now. A file that
 * cannot be read keeps its known entry, so that one does not remove the others; the next call tries it again.
 */
export async function readEntries(
  { store, log, known, keep }: Context,
  files: readonly StoredFile[],
): Promise<{ entries: ReadonlyMap<string, Entry>; readCount: number }> {
  const found = new Map<string, Entry | undefined>(files.map(({ id }) => [id, known.get(id)]));
  const unread = files.filter(({ id, revision, byteSize }) => {
    if (known.get(id)?.revision === revision) return false;
    if (byteSize <= maxCassetteByteSize) return true;
    logRefusal(log, id, `has ${byteSize} bytes; the limit is ${maxCassetteByteSize} (64 MiB)`);
    found.set(id, { revision, summary: null });
    return false;
  });
  const readOne = async ({ id }: StoredFile): Promise<CassetteFile[]> => {
    try {
      const read = await store.read(id);
      if (!read) found.delete(id);
      return read ? [{ id, ...read }] : [];
    } catch (error) {
      log.warn({ err: error, cassette: id }, `could not read cassette ${id}`);
      return [];
    }
  };
  let usesThread = unread.length >= minThreadCount;
  for (const batch of batchesOf(unread)) {
    const readBatch = async () => (await pLimit(readConcurrency).map(batch, readOne)).flat();
    let read = await readBatch();
    const inThread = () =>
      describeInThread(read).catch((error) => {
        // Some functions of Vercel are deployed without the code of threads. A batch that is beyond a limit says nothing of others.
        usesThread = error instanceof WorkerError;
        return null;
      });
    let described = usesThread ? await inThread() : await describeHere(read);
    if (described === null) {
      // What was moved to the thread is lost.
      read = await readBatch();
      described = await describeHere(read);
    }
    for (const [index, { id, revision }] of read.entries()) {
      const one = described[index] as Described;
      if ("refusal" in one) logRefusal(log, id, one.refusal);
      else if (one.recording) keep(id, { revision, recording: one.recording });
      found.set(id, { revision, summary: "refusal" in one ? null : packSummary(one.parts) });
    }
  }
  const entries = [...found].filter((pair): pair is [string, Entry] => pair[1] !== undefined);
  return { entries: new Map(entries), readCount: unread.length };
}
