import { maskCode } from "./mask-code";
import detectors from "./phrases/detectors.json" with { type: "json" };

/** Kinds of harm. Findings of two kinds score higher than two findings of one kind. */
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

/** Match of a detector in a text, as a range of UTF-16 code units. */
export type Match = {
  detector: string;
  family: Family;
  points: number;
  start: number;
  end: number;
  /** Shown instead of the range if that is not meaningful itself. */
  excerpt?: string;
};

/** The stored form of a match. */
export type Finding = {
  detector: string;
  family: Family;
  /** 0 to 5: the score if this were the only finding. */
  points: number;
  /** Counts from 1. */
  line: number;
  /** The matched text. Characters that are invisible, or change how others are displayed, are shown as `[U+XXXX]`. */
  excerpt: string;
};

/** Longest excerpt, in characters, and how many of them may precede the match. */
const maxExcerptLength = 160;
const maxLeadLength = 24;

const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u3164\u115f\u1160]/u;

function show(character: string): string {
  if (character === "\n" || character === "\t" || character === "\r") return " ";
  if (!hidden.test(character)) return character;
  return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** Returns a bounded, harmless copy of a range and of the text before it on its line. */
export function excerptOf(text: string, start: number, end: number): string {
  const reached = Math.max(0, start - maxLeadLength);
  const around = text.slice(reached, start);
  const feed = Math.max(around.lastIndexOf("\n"), around.lastIndexOf("\r"));
  // The lead begins at a word of the same sentence, not within a word or a URL.
  const isCut = feed < 0 && reached > 0;
  const words = isCut ? around.slice(around.search(/\s|$/)) : around.slice(feed + 1);
  const lead = words.replace(/^.*[.!?]["')\]*_]{0,3}\s+/s, "");
  let excerpt = "";
  for (const character of lead + text.slice(start, Math.min(end, start + maxExcerptLength))) {
    const shown = show(character);
    if (excerpt.length + shown.length > maxExcerptLength) break;
    excerpt += shown;
  }
  return excerpt.trim();
}

/** Input of the detectors. */
export type ScannedText = {
  text: string;
  /** The text with code replaced by spaces; everything else keeps its position. */
  prose: string;
  /** The vendor's domain. */
  domain: string;
};

/** Finds one kind of harm. Runs in linear time. */
export type Detector = (scanned: ScannedText) => Iterable<Match>;

export function scanText(text: string, domain: string): ScannedText {
  return { text, prose: maskCode(text), domain };
}

/** Whether a host is the domain or one of its subdomains. */
export function isOnDomain(host: string, domain: string): boolean {
  const [name, own] = [host.toLowerCase(), domain.toLowerCase()];
  return name === own || name.endsWith(`.${own}`);
}

/** Returns the registrable domain: `example.com` for `docs.example.com`; `example.co.uk` keeps three labels. */
export function registrableDomain(domain: string): string {
  const labels = domain.split(".");
  const kept = /^(?:ac|co|com|gov|net|org)$/.test(labels.at(-2) ?? "") && labels.at(-1)?.length === 2 ? 3 : 2;
  return labels.slice(-kept).join(".");
}

/** Label of each security detector. */
const labels: Readonly<Record<string, string>> = detectors;

/** Names of all detectors. */
export const detectorNames: readonly string[] = Object.keys(labels);

/** Returns the label of a finding's detector; for an unknown detector, its own name. */
export function nameFinding(detector: string): string {
  return labels[detector] ?? detector.replaceAll("-", " ");
}
