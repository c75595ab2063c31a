import { jsonLength } from "#lib/contract/fit-json";
import { excerptDiffText, isBoundDiffText } from "#lib/tracking/diffs/index";
import type { DiffContent, FeedEntry } from "./schemas";

/** Change of a vendor with the beginning of its lines. */
export type DiffExcerpt = DiffContent & { truncated: boolean };
export type BoundEntry = Omit<FeedEntry, "diff_content"> & { diff_content?: DiffExcerpt | null };

/** Shares a room out: what asks for less than an equal share gets it, and the others share the rest. */
function shareRoom(wanted: readonly number[], room: number): number[] {
  const shares = wanted.map(() => 0);
  const smallestFirst = [...wanted.keys()].sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  let left = room;
  for (const [index, at] of smallestFirst.entries()) {
    shares[at] = Math.min(wanted[at] ?? 0, Math.floor(left / (wanted.length - index)));
    left -= shares[at] ?? 0;
  }
  return shares;
}

/** Characters of JSON of a diff's text, as far as there could be room for it. */
function wantedLength({ diff_content: content }: FeedEntry, room: number): number {
  return content ? jsonLength(excerptDiffText(content.diff_text, room).text) : 0;
}

function boundEntry({ diff_content: content, ...entry }: FeedEntry, room: number): BoundEntry {
  if (!content) return content === undefined ? entry : { ...entry, diff_content: null };
  const { text, isCut } = excerptDiffText(content.diff_text, room);
  const truncated = isCut || isBoundDiffText(content.diff_text);
  return { ...entry, diff_content: { ...content, diff_text: text, truncated } };
}

/** Entries of a feed whose diff texts take at most `room` characters of JSON together. */
export function fitDiffTexts(entries: readonly FeedEntry[], room: number): BoundEntry[] {
  const shares = shareRoom(
    entries.map((entry) => wantedLength(entry, room)),
    room,
  );
  return entries.map((entry, index) => boundEntry(entry, shares[index] ?? 0));
}
