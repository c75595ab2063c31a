import { detectCommands } from "./detect-commands";
import { detectDisguised } from "./detect-disguised";
import { detectEncoded } from "./detect-encoded";
import { detectHiddenCharacters } from "./detect-hidden-characters";
import { detectHiddenHtml } from "./detect-hidden-html";
import { detectInstructions } from "./detect-instructions";
import { detectMarkup } from "./detect-markup";
import { excerptOf, type Family, type Finding, familyOf, type Match } from "./finding";
import { type Detector, scanText } from "./scanned-text";

/** Highest security score; 0 is safe. */
export const maxSecurityScore = 5;

/** Risk of a text for a model that reads it. */
type SecurityScore = {
  /** 0 (nothing found) to `maxSecurityScore`; content is blocked at `blockedScore` or more. */
  score: number;
  /** The most severe ones, by points and position; at most 50. */
  findings: Finding[];
  /** Findings that are not listed. */
  omittedCount: number;
};

const maxFindingCount = 50;

const plainDetectors: readonly Detector[] = [
  detectHiddenCharacters,
  detectInstructions,
  detectDisguised,
  detectMarkup,
  detectHiddenHtml,
  detectCommands,
];
const detectors: readonly Detector[] = [...plainDetectors, detectEncoded(plainDetectors)];

const byGravity = (a: Match, b: Match) => b.points - a.points || a.start - b.start;

/** Collects the most severe matches, the total count, and the families that have points. */
class MatchCollector {
  count = 0;
  points = 0;
  /** Most points in code, which shows more than it says and makes nothing else worse. */
  codePoints = 0;
  readonly families = new Set<Family>();
  #kept: Match[] = [];

  add(match: Match): void {
    this.count++;
    if (match.isCode) this.codePoints = Math.max(this.codePoints, match.points);
    else this.points = Math.max(this.points, match.points);
    if (match.points > 0 && !match.isCode) this.families.add(familyOf(match.detector));
    this.#kept.push(match);
    // Sorting each time would take long; a text can have a million matches.
    if (this.#kept.length >= 20 * maxFindingCount) this.#kept = this.mostSevere();
  }

  get score(): number {
    const points = this.points + (this.families.size > 1 ? 1 : 0);
    return Math.min(maxSecurityScore, Math.max(points, this.codePoints));
  }

  mostSevere = () => this.#kept.sort(byGravity).slice(0, maxFindingCount);
}

/** Returns the line number of each index, in one pass over the text. */
function findLineNumbers(text: string, indexes: readonly number[]): Map<number, number> {
  const lines = new Map<number, number>();
  let [line, newline] = [1, text.indexOf("\n")];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    while (newline >= 0 && newline < index) {
      line++;
      newline = text.indexOf("\n", newline + 1);
    }
    lines.set(index, line);
  }
  return lines;
}

/**
 * Scores a vendor's text by named detectors: the highest points of any match, plus one if matches are of more than one
 * family, at most `maxSecurityScore`. Runs in linear time. `domain` is the vendor's own.
 */
export function scoreSecurity(text: string, { domain }: { domain: string }): SecurityScore {
  const scanned = scanText(text, domain);
  const matches = new MatchCollector();
  for (const detector of detectors) for (const match of detector(scanned)) matches.add(match);
  const shown = matches.mostSevere();
  const lines = findLineNumbers(
    text,
    shown.map(({ start }) => start),
  );
  return {
    score: matches.score,
    findings: shown.map(({ detector, points, start, end, excerpt }) => ({
      detector,
      family: familyOf(detector),
      points,
      line: lines.get(start)!,
      excerpt: excerpt ?? excerptOf(text, start, end),
    })),
    omittedCount: matches.count - shown.length,
  };
}
