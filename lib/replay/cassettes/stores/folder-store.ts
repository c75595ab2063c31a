import { type FSWatcher, type Stats, watch as watchFolder } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { maxCassetteByteSize, verticals } from "../schemas";
import { type CassetteStore, idOfPath, type ReadFile, type StoredFile, StoreUnavailableError } from "./cassette-store";

/** Quiet time before a change is reported, in milliseconds, so that a copy in progress is reported once. */
const settleMs = 50;

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function revisionOf({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs}-${size}-${ino}`;
}

async function listVertical(folder: string, vertical: string): Promise<StoredFile[]> {
  const names = await readdir(join(folder, vertical)).catch((error) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const files = names.map(async (name): Promise<StoredFile[]> => {
    const id = idOfPath(`${vertical}/${name}`);
    if (!id) return [];
    const info = await stat(join(folder, vertical, name)).catch(() => null);
    if (!info?.isFile()) return [];
    return [{ id, revision: revisionOf(info), byteSize: info.size }];
  });
  return (await Promise.all(files)).flat();
}

/** Reads at most one byte more than the size limit, which is enough for the parser to reject the file. */
async function readBounded(path: string): Promise<ReadFile | null> {
  const file = await open(path).catch((error) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (!file) return null;
  try {
    const info = await file.stat();
    const bytes = Buffer.alloc(Math.min(info.size, maxCassetteByteSize + 1));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, bytesRead), revision: revisionOf(info) };
  } finally {
    await file.close();
  }
}

/** One watcher per vertical, and one on the parent folder for verticals that are added or removed. */
class FolderWatcher {
  readonly #folder: string;
  readonly #onChange: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string, onChange: () => void) {
    this.#folder = folder;
    this.#onChange = onChange;
    this.watchAll();
  }

  /** Watches the folders that are not watched yet, because they did not exist before. */
  watchAll(): void {
    for (const name of ["", ...verticals]) if (!this.#watchers.has(name)) this.#watch(name);
  }

  #watch(name: string): void {
    try {
      const watcher = watchFolder(join(this.#folder, name), { persistent: false }, () => this.#scheduleReport());
      watcher.on("error", () => this.#removeWatcher(name));
      this.#watchers.set(name, watcher);
    } catch {
      // The folder does not exist yet. The watcher on its parent reports when it is created.
    }
  }

  #removeWatcher(name: string): void {
    this.#watchers.get(name)?.close();
    this.#watchers.delete(name);
    this.#scheduleReport();
  }

  #scheduleReport(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.watchAll();
      this.#onChange();
    }, settleMs);
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}

/** A store of files `<folder>/<vertical>/<slug>.json`. */
export function folderStore(folder: string): CassetteStore {
  let watcher: FolderWatcher | undefined;
  return {
    kind: "folder",
    async list() {
      try {
        await readdir(folder);
        watcher?.watchAll();
        return (await Promise.all(verticals.map((vertical) => listVertical(folder, vertical)))).flat();
      } catch (cause) {
        throw new StoreUnavailableError(`could not read the cassette folder ${folder}`, { cause });
      }
    },
    async read(id) {
      return readBounded(join(folder, `${id}.json`));
    },
    watch(onChange) {
      const opened = new FolderWatcher(folder, onChange);
      watcher = opened;
      return () => opened.close();
    },
  };
}
