import { createHash } from "node:crypto";

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

/**
 * Returns the folder of a test below that of all tapes: `tests/trip.test.ts > books a trip` is
 * `tests/trip-test-ts/books-a-trip`. Names with capitals, other characters or a suite in front get a hash.
 */
export function tapeFolder(test: string): string[] {
  const [file = "", ...names] = test.split(/ > |::/);
  const path =
    names.length === 0 ? [] : file.split(/[/\\]/).filter((part) => part !== "" && part !== "." && part !== "..");
  const last = names.length === 0 ? file : names.join(" > ");
  return [...path.map(folderName), folderName(last)];
}

/** Returns a folder that no other test's can be in or around: those of `tapeFolder` have no dot. */
export function ownFolderName(test: string): string {
  return `${folderName(test)}.tape`;
}
