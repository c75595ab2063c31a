import { maskCode } from "./mask-code";

/** Kinds of harm; findings of two kinds weigh more than two of one kind. */
export type Family =
  | "hidden-text"
  | "instructions"
  | "chat-markup"
  | "links"
  | "html"
  | "images"
  | "encoded"
  | "commands"
  | "promotion";

/** What a detector saw in a text, as a range of UTF-16 code units. */
export type Sighting = {
  detector: string;
  family: Family;
  points: number;
  start: number;
  end: number;
  /** What to show in place of the range, where that itself says nothing. */
  excerpt?: string;
};

/** What the snapshot keeps of a sighting. */
export type Finding = {
  detector: string;
  family: Family;
  /** 0 to 5; what the finding alone would make the score. */
  points: number;
  /** Counts from 1. */
  line: number;
  /** The place as plain text; whatever would not show, or would change how the rest shows, reads `[U+XXXX]`. */
  excerpt: string;
};

/** Longest excerpt, in characters, and how many of them may stand in front of what was found. */
const maxExcerptLength = 160;
const maxLeadLength = 24;

const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u3164\u115f\u1160]/u;

function show(character: string): string {
  if (character === "\n" || character === "\t" || character === "\r") return " ";
  if (!hidden.test(character)) return character;
  return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** A bounded, harmless copy of a range and of what stands around it on its line. */
export function excerptOf(text: string, start: number, end: number): string {
  const around = text.slice(Math.max(0, start - maxLeadLength), start);
  const lead = around.slice(Math.max(around.lastIndexOf("\n"), around.lastIndexOf("\r")) + 1);
  let excerpt = "";
  for (const character of lead + text.slice(start, Math.min(end, start + maxExcerptLength))) {
    const shown = show(character);
    if (excerpt.length + shown.length > maxExcerptLength) break;
    excerpt += shown;
  }
  return excerpt.trim();
}

/** A text as the detectors see it. */
export type ScannedText = {
  text: string;
  /** The text with code blanked out; everything else is at its place. */
  prose: string;
  /** The vendor's domain. */
  domain: string;
};

/** Finds one kind of harm in time in proportion to the text's length. */
export type Detector = (scanned: ScannedText) => Iterable<Sighting>;

export function scanText(text: string, domain: string): ScannedText {
  return { text, prose: maskCode(text), domain };
}

/** Whether a host is the domain or below it. */
export function isOnDomain(host: string, domain: string): boolean {
  const [name, own] = [host.toLowerCase(), domain.toLowerCase()];
  return name === own || name.endsWith(`.${own}`);
}
