import { hashJson } from "./encoding";

/** Name of the file that lists the recordings on a tape, and the ending of theirs. */
export const tapeFileName = "tape.json";
export const cassetteEnding = ".cassette.json";

const maxSlugLength = 60;

/** Returns the folder in the ids of the cassettes on the tape of a test. */
export function tapeSlug(test: string): string {
  const slug = test
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, maxSlugLength)
    .replace(/-+$/, "");
  return slug || `tape-${hashJson(test).slice(0, 8)}`;
}
