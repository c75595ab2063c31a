import { computeDiff, maxListedLinkCount } from "#lib/tracking/diffs/index";

/** The difference between two versions. */
export type Comparison = {
  linesAdded: number;
  linesRemoved: number;
  linesMoved: number;
  exact: boolean;
  /** At most `maxListedLinkCount`; the counts below include all. */
  linksAdded: string[];
  linksRemoved: string[];
  linkCountAdded: number;
  linkCountRemoved: number;
  /** The unified diff, compressed. */
  compressedText: Uint8Array<ArrayBuffer>;
};

/** Two versions of a text. */
export type TextPair = { before: string; after: string };

/** Compares two versions in the calling thread. */
export async function computeComparison({ before, after }: TextPair): Promise<Comparison> {
  const { text: _text, linksAdded, linksRemoved, ...rest } = await computeDiff(before, after);
  return {
    ...rest,
    linksAdded: linksAdded.slice(0, maxListedLinkCount),
    linksRemoved: linksRemoved.slice(0, maxListedLinkCount),
    linkCountAdded: linksAdded.length,
    linkCountRemoved: linksRemoved.length,
  };
}
