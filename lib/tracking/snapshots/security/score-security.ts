import { detectCommands } from "./detect-commands";
import { detectEncoded } from "./detect-encoded";
import { detectHiddenCharacters } from "./detect-hidden-characters";
import { detectInstructions } from "./detect-instructions";
import { detectImages, detectLinks } from "./detect-links";
import { detectChatMarkup, detectHtml } from "./detect-markup";
import { type Detector, excerptOf, type Family, type Finding, type Sighting, scanText } from "./finding";

export type { Family, Finding } from "./finding";

/** What a text may do to a model that reads it. */
export type SecurityScore = {
  /** 0 (nothing seen) to 5; from 3 on the content is blocked. */
  score: number;
  /** The gravest ones, by points and place; at most 50. */
  findings: Finding[];
  /** Findings that are not in the list. */
  omittedCount: number;
};

const maxScore = 5;
const maxFindingCount = 50;

const plainDetectors: readonly Detector[] = [
  detectHiddenCharacters,
  detectInstructions,
  detectChatMarkup,
  detectLinks,
  detectHtml,
  detectImages,
  detectCommands,
];
const detectors: readonly Detector[] = [...plainDetectors, detectEncoded(plainDetectors)];

/** The gravest sightings of a text, with the count of all and the families that have points. */
class Sightings {
  count = 0;
  points = 0;
  readonly families = new Set<Family>();
  /** The first ones of each number of points: more are never shown. */
  readonly #kept = new Map<number, Sighting[]>();

  add(sighting: Sighting): void {
    this.count++;
    this.points = Math.max(this.points, sighting.points);
    if (sighting.points > 0) this.families.add(sighting.family);
    const kept = this.#kept.get(sighting.points) ?? [];
    if (kept.length === 0) this.#kept.set(sighting.points, kept);
    kept.push(sighting);
    // Detectors report in turn, each by place: from time to time the last ones go.
    if (kept.length >= 4 * maxFindingCount) this.#shorten(kept);
  }

  #shorten(kept: Sighting[]): void {
    kept.sort((a, b) => a.start - b.start);
    kept.length = Math.min(kept.length, maxFindingCount);
  }

  gravest(): Sighting[] {
    const all = [...this.#kept.values()].flat();
    return all.sort((a, b) => b.points - a.points || a.start - b.start).slice(0, maxFindingCount);
  }
}

/** The line of each place; the text is read once. */
function linesOf(text: string, places: readonly number[]): Map<number, number> {
  const lines = new Map<number, number>();
  let [line, feed] = [1, text.indexOf("\n")];
  for (const place of [...places].sort((a, b) => a - b)) {
    while (feed >= 0 && feed < place) {
      line++;
      feed = text.indexOf("\n", feed + 1);
    }
    lines.set(place, line);
  }
  return lines;
}

/**
 * Scores a vendor's text by named detectors: the most points that one of them gives, one more where two families of
 * harm meet, at most 5. Takes time in proportion to the text's length. `domain` is the vendor's own.
 */
export function scoreSecurity(text: string, { domain }: { domain: string }): SecurityScore {
  const scanned = scanText(text, domain);
  const sightings = new Sightings();
  for (const detector of detectors) for (const sighting of detector(scanned)) sightings.add(sighting);
  const shown = sightings.gravest();
  const lines = linesOf(
    text,
    shown.map(({ start }) => start),
  );
  return {
    score: Math.min(maxScore, sightings.points + (sightings.families.size > 1 ? 1 : 0)),
    findings: shown.map(({ detector, family, points, start, end, excerpt }) => ({
      ...{ detector, family, points },
      line: lines.get(start)!,
      excerpt: excerpt ?? excerptOf(text, start, end),
    })),
    omittedCount: sightings.count - shown.length,
  };
}
