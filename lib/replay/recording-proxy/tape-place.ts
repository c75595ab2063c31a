import { existsSync, readdirSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { tapeFileName } from "./tape-file";
import { ownFolderName, tapeFolder } from "./tape-name";

function isTape(folder: string): boolean {
  return existsSync(join(folder, tapeFileName));
}

function hasFolders(folder: string): boolean {
  try {
    return readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isDirectory());
  } catch {
    return false;
  }
}

/** Whether a folder lies in that of another tape, or has those of other tapes. `others` are folders that may not exist yet. */
function isShared(root: string, folder: string, others: readonly string[]): boolean {
  for (let above = dirname(folder); above.length > root.length; above = dirname(above)) {
    if (isTape(above) || others.includes(above)) return true;
  }
  return others.some((other) => other.startsWith(folder + sep)) || hasFolders(folder);
}

/**
 * Returns the folder of a test's tape: where it is, or else where it goes. If its usual folder would lie in that of another
 * tape or around one, it gets one that no other test's can be in.
 */
export function placeTape(root: string, test: string, others: Iterable<string> = []): string {
  const usual = join(root, ...tapeFolder(test));
  const own = join(root, ownFolderName(test));
  if (isTape(own)) return own;
  return !isTape(usual) && isShared(root, usual, [...others]) ? own : usual;
}
