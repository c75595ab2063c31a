import type { Stats } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { log } from "#lib/platform/log";
import { maxCassetteByteSize } from "../format";
import { slugSchema } from "../schemas";
import { maxSequencesByteSize, sequencesFile } from "../sequences";
import { type CassetteStore, idOfPath, type ReadFile, type StoredFile, StoreUnavailableError } from "./cassette-store";
import { FolderWatcher, isMissing } from "./folder-watcher";

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
      return readBounded(join(folder, `${id}.json`), maxCassetteByteSize);
    },
    async readSequences() {
      return readBounded(join(folder, sequencesFile), maxSequencesByteSize);
    },
    watch(onChange) {
      const opened = new FolderWatcher(folder, { onChange, log: log() });
      watcher = opened;
      return () => opened.close();
    },
  };
}
