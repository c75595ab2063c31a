import { detectCommands } from "./detect-commands";
import { detectDisguised } from "./detect-disguised";
import { detectEncoded } from "./detect-encoded";
import { detectHiddenCharacters } from "./detect-hidden-characters";
import { detectHiddenHtml } from "./detect-hidden-html";
import { detectInstructions } from "./detect-instructions";
import { detectMarkup } from "./detect-markup";
import { excerptOf, type Finding, familyOf, type Match } from "./finding";
import { type Detector, scanText } from "./scanned-text";

export const maxSecurityScore = 5;

type SecurityScore = {
  /** 0 (nothing found) to `maxSecurityScore`; content is blocked at `blockedScore` or more. */
  score: number;
  /** The most severe ones, by points and position; at most 50. */
  findings: Finding[];
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
/** Matches up to which the list is not sorted and cut: a text can have a million. */
const maxKeptCount = 20 * maxFindingCount;

function toFinding(text: string, { detector, points, start, end, excerpt }: Match): Finding {
  const line = text.slice(0, start).split("\n").length;
  return { detector, family: familyOf(detector), points, line, excerpt: excerpt ?? excerptOf(text, start, end) };
}

/**
 * Scores a vendor's text by named detectors: the highest points of any match, plus one if matches are of more than one
 * family, at most `maxSecurityScore`. What is in code counts by itself. Runs in linear time. `domain` is the vendor's own.
 */
export function scoreSecurity(text: string, { domain }: { domain: string }): SecurityScore {
  const scanned = scanText(text, domain);
  const families = new Set<string>();
  let [count, points, codePoints, kept] = [0, 0, 0, [] as Match[]];
  const add = (match: Match) => {
    count++;
    if (match.isCode) codePoints = Math.max(codePoints, match.points);
    else points = Math.max(points, match.points);
    if (match.points > 0 && !match.isCode) families.add(familyOf(match.detector));
    kept.push(match);
    if (kept.length >= maxKeptCount) kept = kept.sort(byGravity).slice(0, maxFindingCount);
  };
  for (const detector of detectors) for (const match of detector(scanned)) add(match);
  kept = kept.sort(byGravity).slice(0, maxFindingCount);
  const findings = kept.map((match) => toFinding(text, match));
  const score = Math.max(codePoints, points + (families.size > 1 ? 1 : 0));
  return { score: Math.min(maxSecurityScore, score), findings, omittedCount: count - findings.length };
}
