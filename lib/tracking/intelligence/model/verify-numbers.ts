import type { Analysis, Change } from "../analysis";

const number = /\d+(?:[.,]\d+)*/g;

/** Returns a number without separators of thousands, leading zeros and trailing zeros of decimals. */
function normalize(found: string): string {
  const plain = found.replace(/,(?=\d{3}(?!\d))/g, "").replace(",", ".");
  const value = Number(plain);
  return Number.isFinite(value) ? `${value}` : plain;
}

/** Counts of a change that the prompt names. */
function countsOf({ comparison }: Change, rules: Analysis): number[] {
  const size = Math.abs(rules.byteSizeChangePct);
  return [
    ...[comparison?.linesAdded, comparison?.linesRemoved, comparison?.linesMoved].map((count) => count ?? 0),
    ...[comparison?.linksAdded.length, comparison?.linksRemoved.length].map((count) => count ?? 0),
    ...[rules.sectionsAdded.length, rules.sectionsRemoved.length, rules.sectionsModified.length],
    ...[size, Math.round(size), Math.round(size * 10) / 10],
  ];
}

/**
 * Returns a number of a summary that is in neither version of the text, nor a count that the prompt names, nor in the
 * rules' summary; undefined if there is none. Runs in linear time.
 */
export function findForeignNumber(summary: string, change: Change, rules: Analysis): string | undefined {
  const wanted = new Set((summary.match(number) ?? []).map(normalize));
  for (const count of countsOf(change, rules)) wanted.delete(`${count}`);
  for (const text of [rules.summary, change.after, change.before ?? ""]) {
    if (wanted.size === 0) return undefined;
    for (const [found] of text.matchAll(number)) {
      if (wanted.delete(normalize(found)) && wanted.size === 0) return undefined;
    }
  }
  return [...wanted][0];
}
