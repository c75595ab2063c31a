import { cutText, maxReadLineLength, plainOf, shownOf, splitSentences } from "../text/plain-text";
import type { ReadLine, ReadLines } from "../text/read-lines";
import type { SignalKind } from "../text/wording";
import type { Signal } from "./signals";

const absent =
  "(?:(?:is|are|it's) (?:currently |yet |still )?not|isn't|aren't|not yet|not currently) (?:yet |currently )?(?:publicly |generally |officially )?(?:available|supported|offered|possible)";
/** Statements that something is missing for now. */
const pending = new RegExp(
  `\\bcoming soon\\b|\\b(?:available|supported|released|launched|added) soon\\b|\\bwill (?:soon )?be (?:available|supported|released|launched|added)\\b|\\b(?:currently|for now|at this time|yet)\\b[^.]{0,80}\\bonly\\b|\\bcurrently only\\b|\\b${absent}\\b|\\bwe(?:'re| are) (?:currently |still |actively )?working on\\b`,
  "i",
);
/** Statements that something is missing, in any words. */
const negative = /\b(?:not|cannot|only|no)\b|n't\b/i;
/** Statements that something is still missing, in other words. */
const missing =
  /\b(?:do|does|is|are|can)(?: not|n't) (?:\w+ ){0,3}?(?:support|available|possible|offer)|\bcannot be\b/i;
/** Statements that something is only for some customers or apps. */
const restricted =
  /\bonly (?:currently )?available (?:for|to|on|in|with)\b|\bavailable (?:only (?:for|to|on|in|with)\b|(?:for|to|on|in|with) [^.]{0,60}\b(?:plans?|tiers?|customers?|apps)\b)/i;
const unsupported = new RegExp(`\\b${absent}\\b`, "i");
/** A change that is announced, and one that has taken effect. */
const future = /\bwill\b|\bgoing to\b|\bsoon\b/i;
const effective =
  /\b(?:has|have) (?:now )?(?:been |introduced|changed|renamed|moved|removed|replaced|added)|\b(?:is|are) now\b|\bfrom now on\b|\bno longer\b/i;

const read = ({ text }: ReadLine) => plainOf(text.slice(0, maxReadLineLength));
const states = (line: ReadLine, pattern: RegExp) => !line.isCode && !line.isMeta && pattern.test(read(line));

/** Returns the sentence of a line that matches, as people read it, otherwise its first. */
const sentenceOf = ({ text }: ReadLine, pattern: RegExp) => {
  const sentences = splitSentences(shownOf(text));
  return cutText(sentences.find((sentence) => pattern.test(sentence)) ?? sentences[0] ?? "");
};

const signal = (kind: SignalKind, line: ReadLine, sentence: string): Signal => ({
  kind,
  line,
  date: "",
  sentence,
  words: "",
  isMention: false,
});

/**
 * Returns what a change says about availability: a statement that something is missing and that is gone (`available`, with that
 * statement as its sentence) or reserved for some (`opened`), a new one (`unavailable`), and an announced change that has happened (`effective`). Statements
 * in sections that are gone do not count.
 */
export function readAvailability({ removed, added }: ReadLines, isGone: (path: string) => boolean): Signal[] {
  const stillPending = new Set(
    added.filter((line) => states(line, pending) || states(line, missing)).map(({ path }) => path),
  );
  const isStill = ({ partner, path }: ReadLine) =>
    stillPending.has(path) || (partner !== undefined && states(partner, negative));
  const signals: Signal[] = [];
  const stillRestricted = new Set(added.filter((line) => states(line, restricted)).map(({ path }) => path));
  for (const line of removed) {
    if (!isGone(line.path) && states(line, restricted) && !stillRestricted.has(line.path))
      signals.push(signal("opened", line.partner ?? line, sentenceOf(line, restricted)));
    if (isGone(line.path) || !states(line, pending) || isStill(line)) continue;
    signals.push(signal("available", line.partner ?? line, sentenceOf(line, pending)));
  }
  for (const line of added) {
    if (!line.partner || line.isCode || line.partner.isCode) continue;
    if (states(line, unsupported) && !states(line.partner, unsupported)) {
      signals.push(signal("unavailable", line, sentenceOf(line, unsupported)));
    } else if (states(line.partner, future) && !states(line.partner, effective) && states(line, effective)) {
      signals.push(signal("effective", line, sentenceOf(line, effective)));
    }
  }
  return signals;
}
