import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { tapeFileName } from "#lib/replay/cassettes/index";

/** Longest name of a folder, in characters. */
const maxNameLength = 80;

function slugOf(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

/** Returns a name for a folder: the words of a text. A hash is added where the words alone could belong to two texts. */
function folderName(text: string): string {
  const slug = slugOf(text).slice(0, maxNameLength).replace(/-+$/, "");
  const isWhole = slug !== "" && text.replace(/[ ._/\\-]+/g, "-") === slug;
  return isWhole ? slug : `${slug || "test"}-${createHash("sha256").update(text).digest("hex").slice(0, 6)}`;
}

/** What divides the file of a test from its name. */
const divider = / > |::/;

/** Returns the file of a test, and the rest of its name with what divides them. */
export function divideName(test: string): [file: string, rest: string] {
  const [file = ""] = test.split(divider);
  return [file, test.slice(file.length)];
}

/**
 * Returns the folder of a test below that of all tapes: `tests/trip.test.ts > books a trip` is
 * `tests/trip-test-ts/books-a-trip`. Names with capitals, other characters or a suite in front get a hash.
 */
export function tapeFolder(test: string): string[] {
  const [file = "", ...names] = test.split(divider);
  const path =
    names.length === 0 ? [] : file.split(/[/\\]/).filter((part) => part !== "" && part !== "." && part !== "..");
  const last = names.length === 0 ? file : names.join(" > ");
  return [...path.map(folderName), folderName(last)];
}

/** Returns a folder that no other test's can be in or around: those of `tapeFolder` have no dot. */
function ownFolderName(test: string): string {
  return `${folderName(test)}.tape`;
}

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
