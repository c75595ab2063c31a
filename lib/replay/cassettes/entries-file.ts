import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { type SummaryHead, unpackSummary } from "./packed-summary";
import type { Entry } from "./read-entries";
import { writeFileAtomically } from "./write-file";

type Entries = ReadonlyMap<string, Entry>;

/** What a catalogue found in its files, on disk, so that a start reads only the files that changed since. */
export type EntriesFile = {
  /** Returns no entries if there is no file, or if it is damaged, of another store or written by other code. */
  read(): Promise<Entries>;
  /** Throws WriteError. */
  write(entries: Entries): Promise<void>;
};

/** Changes with the layout below. */
const layout = 2;
/** Time for which entries are parsed without a pause, in milliseconds, so that replays go on meanwhile. */
const sliceMs = 4;
const newLine = 10;

/** Most bytes of texts that are kept: reading more would hold up the start longer than it saves. */
const maxTextsByteSize = 512 * 1024 * 1024;
/** Bytes that are written at once: fewer take more calls, and more would hold up replays. */
const writtenByteSize = 256 * 1024;

function byteSizeOf(entries: Entries): number {
  return [...entries.values()].reduce((sum, { summary }) => sum + (summary?.texts.length ?? 0), 0);
}

function* joined(parts: Iterable<Buffer>): Generator<Buffer> {
  let [waiting, byteSize]: [Buffer[], number] = [[], 0];
  for (const part of parts) {
    waiting.push(part);
    byteSize += part.length;
    if (byteSize < writtenByteSize) continue;
    yield Buffer.concat(waiting);
    [waiting, byteSize] = [[], 0];
  }
  yield Buffer.concat(waiting);
}

/**
 * Yields the lines of the file: the header, an entry in each without its texts, an empty one, one with all texts, and the
 * checksum of all before.
 */
function* linesOf(header: object, entries: Entries): Generator<Buffer> {
  let checksum = 0;
  const summed = (bytes: Buffer) => {
    checksum = crc32(bytes, checksum);
    return bytes;
  };
  const line = (value: unknown) => summed(Buffer.from(`${JSON.stringify(value)}\n`));
  const texts: Buffer[] = [];
  yield line(header);
  for (const [id, { revision, summary }] of entries) {
    if (summary === null) continue;
    yield line([id, revision, summary.texts.length, summary]);
    texts.push(summary.texts);
  }
  yield summed(Buffer.of(newLine));
  for (const text of texts) yield summed(text);
  yield summed(Buffer.of(newLine));
  yield Buffer.from(`${checksum}\n`);
}

/** Returns the parts of a file; null if it is damaged or has another header. */
function checkParts(file: Buffer, header: object): { heads: Buffer; texts: Buffer } | null {
  const start = Buffer.from(`${JSON.stringify(header)}\n`);
  const end = file.lastIndexOf(newLine, -2) + 1;
  if (!file.subarray(0, start.length).equals(start)) return null;
  if (file.toString("latin1", end) !== `${crc32(file.subarray(0, end))}\n`) return null;
  const middle = file.indexOf("\n\n");
  // A copy of the texts, because the rest is not kept in memory.
  return { heads: file.subarray(start.length, middle + 1), texts: Buffer.from(file.subarray(middle + 2, end - 1)) };
}

async function readEntriesOf(path: string, header: object): Promise<Entries> {
  const entries = new Map<string, Entry>();
  const parts = checkParts(await readFile(path), header);
  if (parts === null) return entries;
  const { heads, texts } = parts;
  let pauseAtMs = performance.now() + sliceMs;
  let textsAt = 0;
  for (let at = 0; at < heads.length; ) {
    const end = heads.indexOf(newLine, at);
    const parsed: [string, string, number, SummaryHead] = JSON.parse(heads.toString("utf8", at, end));
    const [id, revision, textsLength, head] = parsed;
    const textsEnd = textsAt + textsLength;
    entries.set(id, { revision, summary: unpackSummary(head, texts, textsAt, textsEnd) });
    [at, textsAt] = [end + 1, textsEnd];
    if (performance.now() < pauseAtMs) continue;
    await nextTurn();
    pauseAtMs = performance.now() + sliceMs;
  }
  return entries;
}

type Names = {
  /** Names the store. */
  place: string;
  /** Returns what changes with the code that describes cassettes; undefined if that may change at any time. */
  code: () => Promise<string | undefined>;
};

/**
 * Returns the entries file at a path. Files that failed verification are not written, so that each start says in the log
 * which are ignored.
 */
export function entriesFile(path: string, { place, code: codeOf }: Names): EntriesFile {
  return {
    read: async () => {
      const code = await codeOf();
      return code === undefined ? new Map() : readEntriesOf(path, { layout, code, place }).catch(() => new Map());
    },
    write: async (entries) => {
      const code = await codeOf();
      if (code === undefined || byteSizeOf(entries) > maxTextsByteSize) return;
      const parts = joined(linesOf({ layout, code, place }, entries));
      // The texts of a private store must not become readable for others.
      await writeFileAtomically(path, parts, { replace: true, mode: 0o600 });
    },
  };
}
