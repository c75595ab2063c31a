import { detectCommands } from "./detect-commands";
import { detectDisguised } from "./detect-disguised";
import { detectEncoded } from "./detect-encoded";
import { detectExfiltration } from "./detect-exfiltration";
import { detectHiddenCharacters } from "./detect-hidden-characters";
import { detectHiddenHtml } from "./detect-hidden-html";
import { detectInstructions } from "./detect-instructions";
import { detectChatMarkup, detectHtml, detectImages, detectLinks } from "./detect-markup";
import { detectRemoteCode } from "./detect-remote-code";
import { type Detector, excerptOf, type Family, type Finding, type Match, scanText } from "./finding";

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
  detectExfiltration,
  detectChatMarkup,
  detectLinks,
  detectHtml,
  detectHiddenHtml,
  detectImages,
  detectCommands,
  detectRemoteCode,
];
const detectors: readonly Detector[] = [...plainDetectors, detectEncoded(plainDetectors)];

/** Collects the most severe matches, the total count, and the families that have points. */
class MatchCollector {
  count = 0;
  points = 0;
  readonly families = new Set<Family>();
  /** The first matches of each number of points; more are never shown. */
  readonly #kept = new Map<number, Match[]>();

  add(match: Match): void {
    this.count++;
    this.points = Math.max(this.points, match.points);
    if (match.points > 0) this.families.add(match.family);
    const kept = this.#kept.get(match.points) ?? [];
    if (kept.length === 0) this.#kept.set(match.points, kept);
    kept.push(match);
    // Detectors run one after the other, so the list is sorted and trimmed only occasionally.
    if (kept.length >= 4 * maxFindingCount) this.#trim(kept);
  }

  #trim(kept: Match[]): void {
    kept.sort((a, b) => a.start - b.start);
    kept.length = Math.min(kept.length, maxFindingCount);
  }

  mostSevere(): Match[] {
    const all = [...this.#kept.values()].flat();
    return all.sort((a, b) => b.points - a.points || a.start - b.start).slice(0, maxFindingCount);
  }
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
    score: Math.min(maxSecurityScore, matches.points + (matches.families.size > 1 ? 1 : 0)),
    findings: shown.map(({ detector, family, points, start, end, excerpt }) => ({
      detector,
      family,
      points,
      line: lines.get(start)!,
      excerpt: excerpt ?? excerptOf(text, start, end),
    })),
    omittedCount: matches.count - shown.length,
  };
}
