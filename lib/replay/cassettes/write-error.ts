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
