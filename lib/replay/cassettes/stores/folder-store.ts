import { type FSWatcher, type Stats, watch as watchFolder } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Log, log } from "#lib/platform/log";
import { slugSchema } from "../schemas";
import {
  type CassetteStore,
  idOfPath,
  placeOf,
  type ReadFile,
  type StoredFile,
  StoreUnavailableError,
} from "./cassette-store";

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
  readonly #watchers = new Map<string, FSWatcher>();
  #names: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #hasWarned = false;

  constructor(folder: string, options: Options) {
    this.#folder = folder;
    this.#options = options;
    this.watchAll();
  }

  /** Whether changes are reported at an interval. */
  get isPolling(): boolean {
    return this.#poll !== undefined;
  }

  /** Watches the folders that are not watched yet: they did not exist before, or the system refused a watcher. */
  watchAll(names = this.#names): void {
    this.#names = names;
    // A folder that is removed and created again needs a new watcher.
    for (const [name, watcher] of this.#watchers) {
      if (name === "" || names.includes(name)) continue;
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

  /** Returns the error if the system refused. A missing folder is none: its parent's watcher reports when it is created. */
  #watch(name: string): Error | undefined {
    const { watch = watchOnce } = this.#options;
    try {
      const watcher = watch(join(this.#folder, name), () => this.#scheduleReport());
      watcher.on("error", (error) => this.#replaceWatcher(name, error));
      this.#watchers.set(name, watcher);
      return undefined;
    } catch (error) {
      return isMissing(error) ? undefined : (error as Error);
    }
  }

  #replaceWatcher(name: string, error: Error): void {
    this.#watchers.get(name)?.close();
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
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}

function revisionOf({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs}-${size}-${ino}`;
}

/** Most folders in a store; further ones are ignored. */
const maxFolderCount = 1_000;

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => !entry.isFile() && slugSchema.safeParse(entry.name).success);
  return folders.map(({ name }) => name).slice(0, maxFolderCount);
}

async function listFiles(folder: string, name: string): Promise<StoredFile[]> {
  const names = await readdir(join(folder, name)).catch((error) => {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === "ENOTDIR") return [];
    throw error;
  });
  const files = names.map(async (fileName): Promise<StoredFile[]> => {
    const id = idOfPath(`${name}/${fileName}`);
    if (!id) return [];
    const info = await stat(join(folder, name, fileName)).catch(() => null);
    if (!info?.isFile()) return [];
    return [{ id, revision: revisionOf(info), byteSize: info.size }];
  });
  return (await Promise.all(files)).flat();
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

/** A store of files `<slug>.json` in the folders of a folder. */
export function folderStore(folder: string): CassetteStore {
  let watcher: FolderWatcher | undefined;
  return {
    kind: "folder",
    async list() {
      try {
        const names = await listFolders(folder);
        watcher?.watchAll(names);
        return (await Promise.all(names.map((name) => listFiles(folder, name)))).flat();
      } catch (cause) {
        throw new StoreUnavailableError(`could not read the cassette folder ${folder}`, { cause });
      }
    },
    async read(id) {
      const { path, maxByteSize } = placeOf(id);
      return readBounded(join(folder, path), maxByteSize);
    },
    watch(onChange) {
      const opened = new FolderWatcher(folder, { onChange, log: log() });
      watcher = opened;
      return () => opened.close();
    },
  };
}
