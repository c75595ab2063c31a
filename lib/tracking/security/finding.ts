import detectors from "./phrases/detectors.json" with { type: "json" };

export type Match = {
  detector: string;
  points: number;
  start: number;
  end: number;
  /** Shown instead of the range if that is not meaningful itself. */
  excerpt?: string;
  /** Whether it is in code, which shows more than it says: it does not count as a second family. */
  isCode?: boolean;
};

export function* findPattern(text: string, pattern: RegExp, detector: string, points: number, extra = 0) {
  for (const { index: start, 0: found } of text.matchAll(pattern))
    yield { detector, points, start, end: start + found.length + extra };
}

export type Finding = {
  detector: string;
  /** Kind of harm, such as `instructions`; findings of two kinds score higher than two of one. */
  family: string;
  /** 0 to 5: the score if this were the only finding. */
  points: number;
  line: number;
  /** The matched text. Characters that are invisible, or change how others are displayed, are shown as `[U+XXXX]`. */
  excerpt: string;
};

const maxExcerptLength = 160;
const maxLeadLength = 24;

const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u3164\u115f\u1160]/gu;
const show = (character: string) => `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`;

/** Returns a bounded, harmless copy of a range and of the text before it on its line. */
export function excerptOf(text: string, start: number, end: number): string {
  const reached = text.slice(Math.max(0, start - maxLeadLength), start);
  const line = reached.slice(Math.max(reached.lastIndexOf("\n"), reached.lastIndexOf("\r")) + 1);
  // The lead begins at a word of the same sentence, not within a word or a URL.
  const words = line.length === maxLeadLength ? line.slice(line.search(/\s|$/)) : line;
  const lead = words.replace(/^.*[.!?]["')\]*_]{0,3}\s+/s, "");
  const whole = lead + text.slice(start, Math.min(end, start + maxExcerptLength));
  const shown = whole.replace(/[\n\t\r]/g, " ").replace(hidden, show);
  if (shown.length <= maxExcerptLength) return shown.trim();
  const cut = shown.slice(0, maxExcerptLength);
  return cut.replace(/\[U?\+?[\dA-F]{0,6}$|[\ud800-\udbff]$/, "").trim();
}

const known: Readonly<Record<string, readonly string[]>> = detectors;

export const familyOf = (detector: string) => known[detector]![0]!;

export const nameFinding = (detector: string) => known[detector]?.[1] ?? detector.replaceAll("-", " ");
