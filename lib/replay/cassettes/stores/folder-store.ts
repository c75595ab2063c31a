import { type FSWatcher, type Stats, statSync, watch as watchFolder } from "node:fs";
import { open, readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { type Log, log } from "#lib/platform/log";
import { isCassetteId } from "../schemas";
import { cassetteEnding, tapeFileName, tapeSlug } from "../tape-names";
import { writeFileAtomically } from "../write-file";
import { type CassetteStore, placeOf, type ReadFile, type StoredFile, StoreUnavailableError } from "./cassette-store";
import { lookUpFiles } from "./look-up-files";

/** Quiet time before a change is reported, in milliseconds, so that a copy in progress is reported once. */
const settleMs = 50;
/** Interval of reading a folder that cannot be watched, in milliseconds. */
const defaultPollIntervalMs = 5_000;

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** Watches one folder, without keeping the process running. Throws like `watch` of node:fs. */
export type WatchFolder = (path: string, onChange: () => void) => FSWatcher;

const watchOnce: WatchFolder = (path, onChange) => watchFolder(path, { persistent: false }, onChange);

type Options = { onChange: () => void; log: Log; watch?: WatchFolder; pollIntervalMs?: number };

/**
 * One watcher per folder of cassettes, and one on their parent for folders that are added or removed. While the system
 * refuses watchers, for example because there are too many, changes are reported at an interval instead.
 */
export class FolderWatcher {
  readonly #folder: string;
  readonly #options: Options;
  readonly #watchers = new Map<string, { watcher: FSWatcher; ino: number | undefined }>();
  #names: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #hasWarned = false;

  constructor(folder: string, options: Options) {
    this.#folder = folder;
    this.#options = options;
    this.watchAll();
  }

  get isPolling(): boolean {
    return this.#poll !== undefined;
  }

  /** Watches the folders that are not watched yet: they did not exist before, or the system refused a watcher. */
  watchAll(names = this.#names): void {
    this.#names = names;
    // A folder that is removed and created again needs a new watcher.
    for (const [name, { watcher, ino }] of this.#watchers) {
      if (name === "" || (names.includes(name) && this.#inodeOf(name) === ino)) continue;
      watcher.close();
      this.#watchers.delete(name);
    }
    const failures = ["", ...names].flatMap((name) => {
      return this.#watchers.has(name) ? [] : (this.#watch(name) ?? []);
    });
    const [failure] = failures;
    if (failure) this.#startPolling(failure);
    else this.#stopPolling();
  }

  #inodeOf(name: string): number | undefined {
    return statSync(join(this.#folder, name), { throwIfNoEntry: false })?.ino;
  }

  /** Returns the error if the system refused. A missing folder is none: its parent's watcher reports when it is created. */
  #watch(name: string): Error | undefined {
    const { watch = watchOnce } = this.#options;
    try {
      const ino = this.#inodeOf(name);
      const watcher = watch(join(this.#folder, name), () => this.#scheduleReport());
      watcher.on("error", (error) => this.#replaceWatcher(name, error));
      this.#watchers.set(name, { watcher, ino });
      return undefined;
    } catch (error) {
      return isMissing(error) ? undefined : (error as Error);
    }
  }

  #replaceWatcher(name: string, error: Error): void {
    this.#watchers.get(name)?.watcher.close();
    this.#watchers.delete(name);
    this.#startPolling(error);
    this.#scheduleReport();
  }

  #startPolling({ message }: Error): void {
    const { log, pollIntervalMs = defaultPollIntervalMs } = this.#options;
    if (!this.#hasWarned)
      log.warn(
        { reason: message },
        `cannot watch the cassette folder; it is read every ${pollIntervalMs} ms until it can be watched`,
      );
    this.#hasWarned = true;
    this.#poll ??= setInterval(() => this.#report(), pollIntervalMs).unref();
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #scheduleReport(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#report(), settleMs);
    this.#timer.unref();
  }

  #report(): void {
    this.watchAll();
    this.#options.onChange();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stopPolling();
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}

/** A program can set the time of modification, but not `ctime`. Mostly they are the same, and a zero is written faster. */
function revisionOf({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return `${ctimeMs}-${mtimeMs - ctimeMs}-${size}-${ino}`;
}

/** Most folders in a store, and how deep a tape may lie in it; further ones are ignored, with a warning in the log. */
const [maxFolderCount, maxDepth] = [10_000, 8];

type PlacedFile = StoredFile & { path: string };
type Listing = { files: PlacedFile[]; folders: string[] };

/** Returns the folder of the ids on a tape; undefined for a folder that is none. */
async function tapeFolderOf(path: string): Promise<string | undefined> {
  const text = await readFile(join(path, tapeFileName), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { test } = JSON.parse(text) as { test?: unknown };
    return typeof test === "string" ? tapeSlug(test) : undefined;
  } catch {
    return undefined;
  }
}

/** Adds what a folder and the folders in it have: cassettes as `<slug>.json` in the first level, tapes at any depth. */
async function addFolder(root: string, path: string, listing: Listing): Promise<void> {
  const depth = path === "" ? 0 : path.split(sep).length;
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    // The folder itself must be there. Of those in it, any may have been removed, or be a link to a file.
    if (depth > 0 && (isMissing(error) || error.code === "ENOTDIR")) return [];
    throw error;
  });
  const tape = entries.some(({ name }) => name === tapeFileName) ? await tapeFolderOf(join(root, path)) : undefined;
  const places = entries.flatMap(({ name }) => {
    const onTape = tape !== undefined && name.endsWith(cassetteEnding);
    const id = onTape ? `${tape}/${name.slice(0, -cassetteEnding.length)}` : `${path}/${name.replace(/\.json$/, "")}`;
    const isCassette = tape === undefined && depth === 1 && name.endsWith(".json");
    return (onTape || isCassette) && isCassetteId(id) ? [{ id, path: join(path, name) }] : [];
  });
  const found = await lookUpFiles(places.map((place) => `${root}${sep}${place.path}`));
  for (const [index, { id, path }] of places.entries()) {
    const info = found[index];
    if (info?.isFile()) listing.files.push({ id, path, revision: revisionOf(info), byteSize: info.size });
  }
  for (const entry of entries) {
    // A link deeper down could lead back.
    const isFolder = entry.isDirectory() || (depth === 0 && entry.isSymbolicLink());
    if (!isFolder || entry.name.startsWith(".")) continue;
    const folder = join(path, entry.name);
    if (depth >= maxDepth || listing.folders.length >= maxFolderCount) {
      log().warn({ folder }, `${folder} is ignored: a store has up to ${maxFolderCount} folders, ${maxDepth} deep`);
      return;
    }
    listing.folders.push(folder);
    await addFolder(root, folder, listing);
  }
}

/** Reads at most one byte more than the size limit, which is enough for the parser to reject the file. */
async function readBounded(path: string, maxByteSize: number): Promise<ReadFile | null> {
  const file = await open(path).catch((error) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (!file) return null;
  try {
    const info = await file.stat();
    const bytes = Buffer.alloc(Math.min(info.size, maxByteSize + 1));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, bytesRead), revision: revisionOf(info) };
  } finally {
    await file.close();
  }
}

/**
 * A store of files `<slug>.json` in the folders of a folder, or of tapes as `tapedeck run` records them: their folders are
 * named by their tests. Of two files with one id, the first by path counts.
 */
export function folderStore(folder: string): CassetteStore {
  let watcher: FolderWatcher | undefined;
  let paths: ReadonlyMap<string, string> | undefined;
  let listed: Promise<PlacedFile[]> | undefined;
  const listNow = async (): Promise<PlacedFile[]> => {
    const listing: Listing = { files: [], folders: [] };
    try {
      await addFolder(folder, "", listing);
    } catch (cause) {
      throw new StoreUnavailableError(`could not read the cassette folder ${folder}`, { cause });
    }
    watcher?.watchAll(listing.folders);
    const ordered = listing.files.sort((one, other) => (one.path < other.path ? 1 : -1));
    const byId = new Map(ordered.map((file) => [file.id, file]));
    for (const { id, path } of ordered)
      if (byId.get(id)?.path !== path)
        log().warn({ cassette: id, path }, `${path} is ignored: another file has its id`);
    paths = new Map([...byId].map(([id, { path }]) => [id, path]));
    return [...byId.values()];
  };
  const list = () => {
    const listing = listNow();
    listed = listing;
    const forget = () => {
      if (listed === listing) listed = undefined;
    };
    listing.then(forget, forget);
    return listing;
  };
  return {
    kind: "folder",
    list,
    async read(id) {
      const { path, maxByteSize } = placeOf(id);
      const found = await readBounded(join(folder, path), maxByteSize);
      if (found) return found;
      // A folder that does not exist has no cassettes, where one is asked for by its id.
      if (!paths) await (listed ?? list()).catch((error) => isMissing(error.cause) || Promise.reject(error));
      const place = paths?.get(id);
      return place === undefined ? null : readBounded(join(folder, place), maxByteSize);
    },
    async replace(id, bytes) {
      const place = (await list()).find((file) => file.id === id)?.path;
      if (place === undefined) return false;
      await writeFileAtomically(join(folder, place), bytes, { replace: true });
      return true;
    },
    watch(onChange) {
      const opened = new FolderWatcher(folder, { onChange, log: log() });
      watcher = opened;
      return () => opened.close();
    },
  };
}
