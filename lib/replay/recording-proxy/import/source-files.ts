import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, ImportError } from "#lib/replay/cassettes/index";

/** A file to import, and the path that was given for it: itself, or a folder around it. */
export type FoundFile = { file: string; given: string };

/** Most files of one import. */
const maxFileCount = 100_000;

/** Returns the files at a path: itself, or those with these endings in a folder and below. Throws ImportError. */
export async function findSourceFiles(given: string, ending: RegExp): Promise<FoundFile[]> {
  const found = await stat(given).catch((cause) => {
    const reason = codeOf(cause) === "ENOENT" ? "not found" : (cause as Error).message;
    throw new ImportError(given, reason, { cause });
  });
  if (!found.isDirectory()) return [{ file: given, given }];
  const entries = await readdir(given, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && ending.test(entry.name));
  if (files.length === 0) throw new ImportError(given, "has no files to import");
  if (files.length > maxFileCount)
    throw new ImportError(given, `has ${files.length} files; the limit is ${maxFileCount}`);
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((file) => ({ file, given }));
}
