import { hashJson } from "./encoding";

/** Name of the file that lists the recordings on a tape, and the ending of theirs. */
export const tapeFileName = "tape.json";
export const cassetteEnding = ".cassette.json";

const [maxSlugLength, hashLength] = [60, 8];

/** Returns the folder in the ids of the cassettes on the tape of a test. A name that is cut has a part of its hash, as others may begin alike. */
export function tapeSlug(test: string): string {
  const slug = test
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (slug !== "" && slug.length <= maxSlugLength) return slug;
  return `${slug.slice(0, maxSlugLength - hashLength - 1).replace(/-+$/, "") || "tape"}-${hashJson(test).slice(0, hashLength)}`;
}
