import { cutText, maxReadLineLength, plainOf, shownOf, splitSentences } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { isSpelling } from "../text/word-changes";
import { constancy, datePattern, denial, description, endedClause, type SignalKind, wordings } from "../text/wording";

/** A statement in an added line. */
export type Signal = {
  kind: SignalKind;
  line: ReadLine;
  /** Verbatim from the text; empty if there is none. */
  date: string;
  /** The sentence, as people read it. */
  sentence: string;
  /** The words of the sentence that state it; empty if unknown. */
  words: string;
  /** Whether the topic is only mentioned, such as by a page about prices, and no change is announced. */
  isMention: boolean;
};

/** Most sentences per line that are read, and the longest sentence in UTF-16 code units. */
const maxSentenceCount = 60;
const maxSentenceLength = 400;

/** Lines without a match contain no signal and are skipped for speed. */
const prefilter =
  /cve-|secur|vulnerab|compromis|breach|rotate|deprec|sunset|end[- ]of|eol\b|no longer|discontinu|phas(?:e|ing)|decommis|retir|shut|remov|withdraw|switched|turned|stop|\bend(?:s|ing)?\b|clos(?:e|ing)|break|incompat|renam|reject|refus|requir|mandatory|must|gone|replace|answers|fails?\b|enforce|revok|expire|pric|fee|cost|bill|free|charge|pay|model|introduc|announc|releas|launch|available|new\b|\bnow\b|beta|preview|early|fix|bug|resolv|sdk|librar|client|package|driver|cli |(?:limit|quota)s? (?:will|are|is) /i;

const installation =
  /`[^`]*\b(?:npm (?:i|install)|pnpm add|yarn add|bun add|pip install|uv add|gem install|cargo add|go get|composer require|dotnet add|brew install)\b[^`]*`|<artifactId>|\bimplementation[ (]["']/i;

const news = /\b(?:introduc|announc|launch|releas|new\b|now\b)/i;

function sentencesOf(plain: string): string[] {
  const sentences = splitSentences(plain).flatMap((sentence) => sentence.split(/\s[—|]\s/));
  return sentences.slice(0, maxSentenceCount).map((sentence) => sentence.slice(0, maxSentenceLength));
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}.]*[\p{L}\p{N}]/gu));

/** Whether the matched words, or a number in their sentence, are missing in the older line. */
function isFresh(words: string, sentence: string, old: ReadonlySet<string> | undefined): boolean {
  if (!old) return true;
  const own = [...wordsOf(words)];
  if (own.some((word) => !old.has(word))) return true;
  return [...wordsOf(sentence)].some((word) => /\d/.test(word) && !old.has(word));
}

/** Whether the words at an index announce something, that is, are not preceded by a denial. */
function announces(sentence: string, at: number): boolean {
  return !denial.test(sentence.slice(Math.max(0, at - 60), at));
}

/** Returns the sentence of a line that contains some words, with the code that was left out to find them. */
function shownSentence(line: ReadLine, words: string): string {
  const sentences = sentencesOf(shownOf(line.text));
  // In the words, each piece of code was replaced with a backtick.
  const parts = words.split("`").map((part) => part.trim());
  const isStated = (sentence: string) => parts.every((part) => sentence.includes(part));
  return cutText(
    sentences.find((sentence) => sentence.includes(words)) ?? sentences.find(isStated) ?? sentences[0] ?? "",
  );
}

function readSentence(whole: string, line: ReadLine, old: ReadonlySet<string> | undefined): Signal[] {
  const signals: Signal[] = [];
  const date = datePattern.exec(whole)?.[0] ?? "";
  const announcing = date === "" ? whole.replace(endedClause, "") : whole;
  for (const { kind, strong, weak, marker, needs } of wordings) {
    const sentence = kind === "deprecation" ? announcing : whole;
    if (needs && !needs.test(sentence)) continue;
    const strongMatch = strong?.exec(sentence);
    const weakMatch = strongMatch ? null : weak?.exec(sentence);
    const match = strongMatch ?? (weakMatch && marker?.test(sentence) ? weakMatch : null);
    // Another number in a sentence does not make anything available again.
    if (!match || !isFresh(match[0], kind === "launch" ? "" : sentence, old) || !announces(sentence, match.index))
      continue;
    if (kind === "pricing" && constancy.test(sentence)) continue;
    // Guides mention libraries without news of them.
    if (kind === "sdk" && line.links.length === 0 && !/\d|\bnew\b|\bnow\b|releas|support|\badd/i.test(sentence))
      continue;
    if (kind === "feature" && signals.some((signal) => signal.kind === "launch")) continue;
    // A reworded sentence about a preview announces none.
    if (kind === "feature" && line.partner && !news.test(sentence)) continue;
    const isSubject = description.test(sentence.slice(Math.max(0, match.index - 100), match.index));
    signals.push({ kind, line, date, sentence: shownSentence(line, match[0]), words: match[0], isMention: isSubject });
  }
  return signals;
}

const shorten = (text: string) => text.slice(0, maxReadLineLength);

/** Returns the signals of an added line. Code and URLs contain none, except installation commands. */
function readLine(line: ReadLine): Signal[] {
  const signals: Signal[] = [];
  if (!line.isCode) {
    const text = shorten(line.text);
    const isCorrected = line.partner !== undefined && isSpelling(plainOf(line.partner.text), plainOf(text));
    if (prefilter.test(text) && !isCorrected) {
      const old = line.partner && wordsOf(plainOf(line.partner.text));
      for (const sentence of sentencesOf(plainOf(text))) signals.push(...readSentence(sentence, line, old));
    }
  }
  const command = installation
    .exec(line.isCode ? `\`${shorten(line.text)}\`` : shorten(line.text))?.[0]
    .replaceAll("`", "");
  const isInstallation = command !== undefined && !line.partner?.text.includes(command);
  if (isInstallation) signals.push({ kind: "sdk", line, date: "", sentence: "", words: "", isMention: false });
  return signals;
}

/** Returns the signals of the added lines. */
export function readSignals(added: readonly ReadLine[]): Signal[] {
  return added.filter(({ isMeta }) => !isMeta).flatMap(readLine);
}
