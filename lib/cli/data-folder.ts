import { sep } from "node:path";
import { ConfigError } from "#lib/platform/config";
import { dataFolder } from "#lib/platform/database/paths";

const notFolder = ["is not a folder, or a link to a missing one", "Correct it"];
const full = ["is on a full disk", "Free some space"];
/** What the system's codes say of the data folder, and what to do. */
const problems: Readonly<Record<string, readonly string[]>> = {
  EEXIST: notFolder,
  ENOTDIR: notFolder,
  ELOOP: notFolder,
  ENOSPC: full,
  EDQUOT: full,
};
const unwritable = ["cannot be written", "Make it writable"];

const isWithin = (file: string, folder: string) => `${file}${sep}`.startsWith(`${folder}${sep}`);

/** Returns what is wrong with the data folder, and what to do; undefined if an error is not the system's about it. */
export function dataFolderProblem(error: unknown): string | undefined {
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  if (typeof path !== "string") return undefined;
  try {
    const folder = dataFolder();
    if (!isWithin(path, folder) && !(syscall === "mkdir" && isWithin(folder, path))) return undefined;
    const [problem, advice] = problems[code] ?? unwritable;
    return `The data folder ${folder} ${problem} (${code}). ${advice}, or set TAPEDECK_DATA_DIR to another folder.`;
  } catch (cause) {
    if (cause instanceof ConfigError) return undefined;
    throw cause;
  }
}
