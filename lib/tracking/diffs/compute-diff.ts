import { compressText } from "#lib/platform/compress-text";
import { compareTexts, type TextComparison } from "./compare/compare-texts";

/** The difference between two versions, with its text as it is stored. */
export type ComputedDiff = Omit<TextComparison, "moved"> & { compressedText: Uint8Array<ArrayBuffer> };

/** Compares two versions of a text in the calling thread, and compresses the text of the diff. */
export async function computeDiff(before: string, after: string): Promise<ComputedDiff> {
  const { moved: _moved, ...comparison } = compareTexts(before, after);
  return { ...comparison, compressedText: await compressText(comparison.text) };
}
