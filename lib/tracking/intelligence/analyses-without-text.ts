import { blockedScore } from "#lib/contract/blocked-content";
import type { Analysis } from "./analysis";
import { growthPct } from "./rules/analyse-by-rules";
import type { readMeasures } from "./store";

const noText = { sectionsAdded: [], sectionsRemoved: [], sectionsModified: [], keyQuotes: [] };

/** Returns the analysis of a missing file. */
export function describeMissingFile(): Analysis {
  return {
    summary: "The file no longer exists: three consecutive fetches returned 404 or 410. The latest version is kept.",
    significance: 5,
    categories: ["content-reduction"],
    ...noText,
    byteSizeChangePct: -100,
  };
}

/** Returns the analysis of a version whose texts could not be analysed, by what is stored about it. */
export function describeByMeasures({
  securityScore,
  byteSize,
  change,
}: Awaited<ReturnType<typeof readMeasures>>): Analysis {
  const isBlocked = securityScore >= blockedScore;
  const counts = change
    ? `The change could not be analysed. Lines added: ${change.linesAdded}, removed: ${change.linesRemoved}.`
    : "The first version could not be analysed.";
  const direction = change && change.linesRemoved > change.linesAdded ? "content-reduction" : "content-expansion";
  return {
    summary: isBlocked ? `${counts} The text has a security score of ${securityScore} out of 5.` : counts,
    significance: isBlocked ? 5 : change ? 3 : 1,
    categories: [isBlocked ? "security-advisory" : direction],
    ...noText,
    byteSizeChangePct: change ? growthPct(change.previousSnapshot.byteSize, byteSize) : 0,
  };
}
