import { languageOf } from "./facts/extract-code";
import type { Facts } from "./facts/read-facts";
import { counted, cutText, listNames, shownOf, splitSentences } from "./text/plain-text";
import { isLong, type Quote, quoteFrom, unpunctuated, wordCountOf } from "./text/quote";
import type { ReadLine, ReadLines } from "./text/read-lines";
import { lastNameOf } from "./text/subject";
import { changedWords, describeWords, isSpelling, type WordChange } from "./text/word-changes";

/** Most changed lines of each side in which text is searched, and most searches; with more, no text counts as moved. */
const [maxLineCount, maxSearchCount] = [500, 50];
/** Fewest words that are recognized elsewhere: fewer recur by chance. */
const minWordCount = 3;

const textOf = (lines: readonly ReadLine[]) => lines.map(({ text }) => shownOf(text)).join(" ");
const countOf = (text: string, words: string) => text.split(words).length - 1;

/**
 * Returns a function that tells whether words only moved to other lines or paragraphs: whether both versions have them as often,
 * in the lines that changed. Punctuation at their end does not count.
 */
function movedTextFinder({ removed, added }: ReadLines): (words: string) => boolean {
  if (Math.max(removed.length, added.length) > maxLineCount) return () => false;
  const [old, now] = [textOf(removed), textOf(added)];
  let searchCount = 0;
  return (words) => {
    const searched = words.replace(/[.:;,]+$/, "");
    if (searched.split(" ").length < minWordCount || searchCount++ >= maxSearchCount) return false;
    const count = countOf(old, searched);
    return count > 0 && count === countOf(now, searched);
  };
}

/** Returns a change of words without those that only moved. */
function withoutMoved({ old, now, isWhole }: WordChange, isMoved: (words: string) => boolean): WordChange {
  return { old: isMoved(old) ? "" : old, now: isMoved(now) ? "" : now, isWhole };
}

/** Most lines of each kind that are read for a sentence. */
const maxReadCount = 500;

const inSections = (lines: readonly ReadLine[], word = "in") => {
  const names = [...new Set(lines.map(({ path }) => lastNameOf(path)))].filter(Boolean);
  return names.length > 0 ? ` ${word} ${listNames(names, 2)}` : "";
};

/** Returns the sentence of a line that the line it replaced does not have, shortened. */
function newSentence(line: ReadLine): string {
  const old = new Set(splitSentences(shownOf(line.partner?.text ?? "")));
  const sentences = splitSentences(shownOf(line.text));
  return cutText(sentences.find((sentence) => !old.has(sentence) && /\p{L}/u.test(sentence)) ?? sentences[0] ?? "");
}

/** Returns `, and 3 more lines`. */
const andMoreLines = (count: number) => (count > 0 ? `, and ${counted(count, "more line")}` : "");

const isTypo = ({ text, partner }: ReadLine) => isSpelling(shownOf(partner!.text), shownOf(text));

/** Returns a sentence about reworded lines: the change that most of them have in common, in its own words. */
function describeReworded(reworded: readonly ReadLine[], isMoved: (words: string) => boolean): string[] {
  const changeOf = ({ text, partner }: ReadLine) =>
    withoutMoved(changedWords(shownOf(partner!.text), shownOf(text)), isMoved);
  const changes = new Map(reworded.slice(0, maxReadCount).map((line) => [line, changeOf(line)]));
  // All words of the change are elsewhere. Lines with the same words, whose markup changed, are no such.
  const hasOnlyMoved = (line: ReadLine) => {
    const change = changes.get(line);
    return change?.old === "" && change.now === "" && shownOf(line.text) !== shownOf(line.partner!.text);
  };
  const lines = reworded.filter((line) => !hasOnlyMoved(line));
  if (lines.length === 0) return [];
  const read = lines.filter((line) => changes.has(line));
  const [typos, rest] = [read.filter(isTypo), read.filter((line) => !isTypo(line))];
  if (rest.length === 0) return [];
  const groups = new Map<string, ReadLine[]>();
  for (const line of rest) {
    const words = describeWords(changes.get(line)!);
    const key = words ?? "";
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  // The change of most lines; of two, the longer one.
  const [words, group] = [...groups].sort(
    ([words, lines], [otherWords, otherLines]) => otherLines.length - lines.length || otherWords.length - words.length,
  )[0]!;
  const left = lines.length - typos.length - group.length;
  if (words !== "") {
    const times = group.length > 1 ? ` in ${group.length} lines` : "";
    const text = `${words}${times}${inSections(group)}`;
    return [
      `${text.startsWith("“") ? `The wording ${text}` : text.slice(0, 1).toUpperCase() + text.slice(1)}${andMoreLines(left)}.`,
    ];
  }
  const prose = rest.find(({ isCode }) => !isCode) ?? rest[0]!;
  const sentence = unpunctuated(newSentence(prose));
  if (sentence === "") return [`Rewords ${counted(lines.length, "line")}${inSections(rest)}.`];
  const others = lines.length - typos.length - 1;
  return [`Rewords${inSections([prose]).replace(/^ in/, "") || " the text"}: “${sentence}”${andMoreLines(others)}.`];
}

/** A fence, or the beginning of a tag or attribute: `<Card`, `icon={`. */
const markupLine = /^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:```|~~~|<[\w.]+\s*$|[\w-]+=[{"'`]*\s*$)/;
const imageLine = /^\s*(?:!\[[^\]]{0,300}\]\([^)\s]{1,2048}[^)]{0,300}\)|<img\b[^>]{0,2000}>)\s*$/;
/** Whether a line is code or text with words, and not only a fence, a tag, an image or punctuation. */
const isQuotable = ({ text, isCode }: ReadLine) =>
  !markupLine.test(text) && (isCode || (!imageLine.test(text) && wordCountOf(text) > 0));

/** Returns the first quote with a long sentence, otherwise one with two words, otherwise one with a word, also of code. */
function chooseQuote(lines: readonly ReadLine[], isMoved: (words: string) => boolean): Quote | undefined {
  let short: Quote | undefined;
  for (let index = 0; index < lines.length; ) {
    const quote = quoteFrom(lines, index, isMoved);
    index += quote.lineCount;
    if (quote.line.isCode) continue;
    if (isLong(quote.sentence)) return quote;
    if (wordCountOf(quote.sentence) > 1) short ??= quote;
  }
  const word = lines.findIndex(({ text }) => /\p{L}{3}/u.test(shownOf(text)));
  return short ?? (word >= 0 ? quoteFrom(lines, word) : undefined);
}

/** Returns a sentence that quotes the first text of added or removed lines. */
function describeLines(verb: string, all: readonly ReadLine[], isMoved: (words: string) => boolean): string[] {
  const lines = all.filter(isQuotable);
  const preposition = verb === "Removes" ? "from" : "to";
  if (lines.length === 0) {
    const images = all.filter(({ text, isCode }) => !isCode && imageLine.test(text));
    return images.length > 0 ? [`${verb} ${counted(images.length, "image")}${inSections(images, preposition)}.`] : [];
  }
  const read = lines.slice(0, maxReadCount);
  const quote = chooseQuote(read, isMoved);
  if (!quote) {
    const kind = read.every(({ isCode }) => isCode) ? "code" : "text";
    return [`${verb} ${counted(lines.length, "line")} of ${kind}${inSections(read)}.`];
  }
  return [
    `${verb}${inSections([quote.line], preposition)}: “${quote.sentence}”${andMoreLines(lines.length - quote.lineCount)}.`,
  ];
}

/** Most renames for which the other changed lines are recognized. */
const maxRenameCount = 10;

/** Returns a function that tells whether a changed line only follows from things that were renamed, such as endpoints. */
function renamedLineFinder({ values, lines }: Facts): (line: ReadLine) => boolean {
  const bare = (name: string) => name.replace(/^[A-Z]+\s+/, "").replace(/^https?:\/\/[^/]*/, "");
  const renames = values
    .filter(({ kind, old, now }) => (kind === "endpoint" || kind === "call") && bare(old) !== "" && bare(now) !== "")
    .slice(0, maxRenameCount);
  if (renames.length === 0) return () => false;
  const others = {
    added: new Set(lines.added.map(({ text }) => text)),
    removed: new Set(lines.removed.map(({ text }) => text)),
  };
  const addedLines = new Set(lines.added);
  return (line) => {
    const swapped = renames.map(({ old, now }) =>
      addedLines.has(line) ? line.text.replaceAll(bare(now), bare(old)) : line.text.replaceAll(bare(old), bare(now)),
    );
    const other = addedLines.has(line) ? others.removed : others.added;
    return swapped.some((text) => text !== line.text && other.has(text));
  };
}

/** From this many new words on, additions come before what was reworded. */
const manyWordCount = 100;

/** Returns sentences about text that was added, removed or reworded, other than the lines that are already described. */
export function describeWording(facts: Facts, described: ReadonlySet<ReadLine>): string[] {
  const retitled = new Set(facts.links.retitled);
  const added = new Set(facts.sections.added.filter(({ isReal }) => isReal).map(({ path }) => path));
  const removed = new Set(facts.sections.removed.filter(({ isReal }) => isReal).map(({ path }) => path));
  const isRenamed = renamedLineFinder(facts);
  // Examples have a sentence of their own.
  const exampleKeys = new Set(facts.examples.map(({ language, path }) => `${language}\n${path}`));
  const isExample = (line: ReadLine) => line.block?.isWhole && exampleKeys.has(`${languageOf(line)}\n${line.path}`);
  const isOpen = (line: ReadLine) =>
    !described.has(line) && !retitled.has(line) && !isExample(line) && !isRenamed(line);
  const reworded = facts.reworded.filter(isOpen);
  const isMoved = movedTextFinder(facts.lines);
  const isUndescribed = (line: ReadLine) => isOpen(line) && !isMoved(shownOf(line.text));
  // The text of new and lost sections is not described again.
  const gained = facts.textAdded.filter((line) => !added.has(line.path) && isUndescribed(line));
  const lost = facts.textRemoved.filter((line) => !removed.has(line.path) && isUndescribed(line));
  const metadata = facts.metadata.filter((name) => !(name === "title" && facts.sections.titleChanged));
  const wording = describeReworded(reworded, isMoved);
  const additions = describeLines("Adds", gained, isMoved);
  const corrected = reworded.filter((line) => isTypo(line) && line.links.length === line.partner!.links.length);
  return [
    ...(facts.words.gained >= manyWordCount ? [...additions, ...wording] : [...wording, ...additions]),
    ...describeLines("Removes", lost, isMoved),
    ...(wording.length === 0 && corrected.length > 0
      ? [`Corrects the spelling or formatting of ${counted(corrected.length, "line")}${inSections(corrected)}.`]
      : []),
    ...(metadata.length > 0 ? [`Changes the page's metadata: ${listNames(metadata, 4)}.`] : []),
  ];
}
