import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The system's name of an error, such as `ENOSPC`. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return typeof code === "string" ? code : undefined;
}

function explain(cause: unknown): string {
  switch (codeOf(cause)) {
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full. Free some space or choose another folder with --out";
    case "EFBIG":
      return "the file is larger than this file system or process may write";
    case "EACCES":
    case "EPERM":
      return "you may not write there. Change the folder's permissions or choose another with --out";
    case "EROFS":
      return "the file system is read-only. Choose another folder with --out";
    case "EEXIST":
      return "it exists already. Replace it with --force, or choose another id";
    case "ENOTDIR":
      return "a part of the path is a file, not a folder";
    case "EISDIR":
      return "a folder stands there";
    case "EMFILE":
    case "ENFILE":
      return "too many files are open on this machine";
    default:
      return (cause as Error)?.message ?? String(cause);
  }
}

/** A file could not be written; the message says why and what to do, and nothing was left behind. */
export class WriteError extends Error {
  override readonly name = "WriteError";
  readonly code: string | undefined;

  constructor(path: string, cause: unknown) {
    super(`${path} was not written: ${explain(cause)}.`, { cause });
    this.code = codeOf(cause);
  }
}

/** What an atomic write needs of the file system; tests put a failing one in its place. */
export type FileSystem = { open: typeof open; link: typeof link; rename: typeof rename };
const nodeFileSystem: FileSystem = { open, link, rename };

/** Age at which a temporary file is a leftover even if a process with its number lives: numbers are used again. */
const maxTemporaryAgeMs = 3_600_000;
const temporaryPattern = /\.(\d{1,10})-[0-9a-f]{12}\.tmp$/;

/** File systems without hard links; there a rename has to do. */
const linkless = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

export type WriteOptions = {
  /** Whether a file that stands there may be replaced. */
  replace: boolean;
  fileSystem?: FileSystem;
};

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Removes what writers that were killed left in a folder; failures do not matter. */
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

async function writeDurably(fileSystem: FileSystem, path: string, content: string | Uint8Array): Promise<void> {
  const file = await fileSystem.open(path, "wx", 0o644);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives the finished file its name. A link fails where the name is taken, without a moment in between. */
async function publish(fileSystem: FileSystem, temporary: string, path: string, replace: boolean): Promise<void> {
  if (replace) return fileSystem.rename(temporary, path);
  try {
    await fileSystem.link(temporary, path);
  } catch (error) {
    if (!linkless.has(codeOf(error) ?? "")) throw error;
    if (await stat(path).catch(() => null)) throw Object.assign(new Error("exists"), { code: "EEXIST" });
    return fileSystem.rename(temporary, path);
  }
  await unlink(temporary).catch(() => undefined);
}

/** The name survives a power cut only once its folder is on the disk too; not every system can do that. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/**
 * Writes a file so that a reader sees the old one or the whole new one, never a part, whatever happens meanwhile:
 * the content goes to a temporary file beside it, onto the disk, and only then gets its name. Throws WriteError.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  { replace, fileSystem = nodeFileSystem }: WriteOptions,
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `${basename(path)}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    await removeLeftovers(folder);
    await writeDurably(fileSystem, temporary, content);
    await publish(fileSystem, temporary, path, replace);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new WriteError(path, cause);
  }
  await syncFolder(folder);
}
