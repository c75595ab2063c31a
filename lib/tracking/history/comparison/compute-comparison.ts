import { type ComputedDiff, computeDiff, maxListedLinkCount } from "#lib/tracking/diffs/index";

/** The difference between two versions, with at most `maxListedLinkCount` links of a side; the counts include all. */
export type Comparison = Omit<ComputedDiff, "text"> & { linkCountAdded: number; linkCountRemoved: number };

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
