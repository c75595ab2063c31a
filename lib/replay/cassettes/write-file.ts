import { randomBytes } from "node:crypto";
import { fsync } from "node:fs";
import { link, mkdir, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { hourMs } from "#lib/platform/time";

/** Returns the system's code of an error, such as `ENOSPC`. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Why the system refused a write, and what to do, by the code of its error. */
const explanations: Readonly<Record<string, readonly [reason: string, advice?: string]>> = {
  ENOSPC: ["the disk is full", "Free some space or choose another folder with --out"],
  EDQUOT: ["the disk is full", "Free some space or choose another folder with --out"],
  EFBIG: ["the file is larger than this file system or process may write"],
  EACCES: ["permission denied", "Change the folder's permissions or choose another with --out"],
  EPERM: ["permission denied", "Change the folder's permissions or choose another with --out"],
  EROFS: ["the file system is read-only", "Choose another folder with --out"],
  EEXIST: ["it already exists", "Replace it with --force, or choose another id"],
  ENOTDIR: ["a part of the path is a file, not a folder"],
  EISDIR: ["it is a folder"],
  EMFILE: ["too many files are open on this machine"],
  ENFILE: ["too many files are open on this machine"],
};

/** A file could not be written, and nothing was left behind; the message says why and what to do. */
export class WriteError extends Error {
  override readonly name = "WriteError";
  readonly code: string | undefined;
  readonly path: string;
  /** Why, without what to do. */
  readonly reason: string;

  constructor(path: string, cause: unknown) {
    const [reason, advice] = explanations[codeOf(cause) ?? ""] ?? [(cause as Error)?.message ?? String(cause)];
    super(`${path} was not written: ${advice === undefined ? reason : `${reason}. ${advice}`}.`, { cause });
    this.code = codeOf(cause);
    this.path = path;
    this.reason = reason;
  }
}

/** The file system operations of an atomic write; tests replace them with failing ones. */
export type FileSystem = {
  open: typeof open;
  link: typeof link;
  rename: typeof rename;
  sync?: (descriptor: number) => Promise<void>;
};
const nodeFileSystem: FileSystem = { open, link, rename };

/** Not by the handle: the one that Yarn's Plug'n'Play puts in the place of Node's cannot. */
const syncFile = promisify(fsync);

/** Age at which a temporary file is a leftover even if a process with its id is running: process ids are reused. */
const maxTemporaryAgeMs = hourMs;
const temporaryPattern = /\.(\d{1,10})-[0-9a-f]{12}\.tmp$/;

/** Error codes of file systems without hard links, on which a rename is used instead. */
const noHardLinkCodes = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

export type WriteOptions = {
  replace: boolean;
  /** Whether temporary files of killed writers are removed from the folder. */
  cleanUp?: boolean;
  mode?: number;
  fileSystem?: FileSystem;
};

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Removes temporary files of killed writers from a folder; failures are ignored. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = temporaryPattern.exec(name)?.[1];
    if (pid === undefined) continue;
    const path = join(folder, name);
    const ageMs =
      Date.now() -
      (await stat(path)
        .catch(() => null)
        .then((info) => info?.mtimeMs ?? Date.now()));
    if (isAlive(Number(pid)) && ageMs < maxTemporaryAgeMs) continue;
    await rm(path, { force: true }).catch(() => undefined);
  }
}

type Content = string | Uint8Array | Iterable<string | Uint8Array>;

async function writeDurably(fileSystem: FileSystem, path: string, content: Content, mode: number): Promise<void> {
  const file = await fileSystem.open(path, "wx", mode);
  try {
    // Its types do not name iterables.
    await file.writeFile(content as string);
    await (fileSystem.sync ?? syncFile)(file.fd);
  } finally {
    await file.close();
  }
}

/** Creates a folder. The system says of a file in its place that it exists, as of the file that is to be written. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error) => {
    throw codeOf(error) === "EEXIST" ? Object.assign(new Error("not a folder"), { code: "ENOTDIR" }) : error;
  });
}

/** Gives the finished file its name. A link fails atomically if the name is taken. */
async function publish(fileSystem: FileSystem, temporary: string, path: string, replace: boolean): Promise<void> {
  if (replace) return fileSystem.rename(temporary, path);
  try {
    await fileSystem.link(temporary, path);
  } catch (error) {
    if (!noHardLinkCodes.has(codeOf(error) ?? "")) throw error;
    if (await stat(path).catch(() => null)) throw Object.assign(new Error("exists"), { code: "EEXIST" });
    return fileSystem.rename(temporary, path);
  }
  await unlink(temporary).catch(() => undefined);
}

/** A new name survives a power failure only after its folder is synced, which not every system supports. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => null);
  if (!handle) return;
  await syncFile(handle.fd).catch(() => undefined);
  await handle.close();
}

/**
 * Writes a file atomically: readers see the old file or the complete new one. The content is written to a temporary file
 * in the same folder, synced to disk, and then renamed. Throws WriteError.
 */
export async function writeFileAtomically(
  path: string,
  content: Content,
  { replace, cleanUp = true, mode = 0o644, fileSystem = nodeFileSystem }: WriteOptions,
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `${basename(path)}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
  try {
    await makeFolder(folder);
    if (cleanUp) await removeLeftovers(folder);
    await writeDurably(fileSystem, temporary, content, mode);
    await publish(fileSystem, temporary, path, replace);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new WriteError(path, cause);
  }
  await syncFolder(folder);
}
