import { formatCount } from "#lib/platform/format-count";
import { capitalize, listNames, shownOf, splitSentences } from "#lib/tracking/wording/index";
import type { Facts } from "./facts/read-facts";
import type { ReadLine } from "./text/read-lines";
import { lastNameOf } from "./text/subject";
import { changedWords, describeWords, isLong, quoteFrom, unpunctuated, wordCountOf } from "./text/words";

const maxReadCount = 500;
const maxRenameCount = 10;
const manyWordCount = 100;

const inSections = (lines: readonly ReadLine[], word = "in") => {
  const names = [...new Set(lines.map(({ path }) => lastNameOf(path)))].filter(Boolean);
  return names.length > 0 ? ` ${word} ${listNames(names, 2)}` : "";
};
const andMoreLines = (count: number) => (count > 0 ? `, and ${formatCount(count, "more line")}` : "");

/**
 * Returns a function that tells whether words only moved to other lines or paragraphs: whether both versions have them in the
 * lines that changed.
 */
function movedTextFinder({ lines: { removed, added } }: Facts): (words: string) => boolean {
  if (Math.max(removed.length, added.length) > maxReadCount) return () => false;
  const [old, now] = [removed, added].map((lines) => lines.map(({ text }) => shownOf(text)).join(" "));
  return (words) => {
    const searched = words.replace(/[.:;,]+$/, "");
    return searched.split(" ").length > 2 && old!.includes(searched) && now!.includes(searched);
  };
}

/** Returns a sentence about reworded lines: the change that most of them have in common, in its own words. */
function describeReworded(reworded: readonly ReadLine[], isMoved: (words: string) => boolean): string[] {
  const groups = new Map<string, ReadLine[]>();
  for (const line of reworded.filter(({ text }) => !markupLine.test(text)).slice(0, maxReadCount)) {
    const { old, now, isWhole } = changedWords(shownOf(line.partner!.text), shownOf(line.text));
    const change = { old: isMoved(old) ? "" : old, now: isMoved(now) ? "" : now, isWhole };
    if (old + now !== "" && change.old + change.now === "") continue;
    const words = describeWords(change) ?? "";
    groups.set(words, [...(groups.get(words) ?? []), line]);
  }
  // The change of most lines; of two, the longer one.
  const [[words, group] = ["", []]] = [...groups].sort(
    ([words, lines], [others, otherLines]) => otherLines.length - lines.length || others.length - words.length,
  );
  if (group.length === 0) return [];
  const total = [...groups.values()].flat().length;
  if (words !== "") {
    const times = group.length > 1 ? ` in ${group.length} lines` : "";
    const text = `${words}${times}${inSections(group)}`;
    return [`${text.startsWith("“") ? `The wording ${text}` : capitalize(text)}${andMoreLines(total - group.length)}.`];
  }
  const line = group.find(({ isCode }) => !isCode) ?? group[0]!;
  const old = new Set(splitSentences(shownOf(line.partner!.text)));
  const sentence = splitSentences(shownOf(line.text)).find((each) => !old.has(each) && isLong(each) && !isMoved(each));
  if (!sentence || line.isCode) return [`Rewords ${formatCount(total, "line")}${inSections(group)}.`];
  const where = inSections([line]).replace(/^ in/, "") || " the text";
  return [
    `Rewords${where}: “${unpunctuated(quoteFrom([{ ...line, text: sentence }], 0).sentence)}”${andMoreLines(total - 1)}.`,
  ];
}

/** A fence, an image, or the beginning of a tag or attribute: `<Card`, `icon={`. */
const markupLine =
  /^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:```|~~~|!\[[^\]]{0,300}\]\([^)]{1,2048}\)\s*$|<[\w.]+\s*$|<[A-Z]\w*\s|[\w-]+=[{"'`]*\s*$)/;

function describeLines(verb: string, all: readonly ReadLine[], isMoved: (words: string) => boolean): string[] {
  const lines = all.filter(({ text, isCode }) => !markupLine.test(text) && (isCode || wordCountOf(text) > 0));
  if (lines.length === 0) return [];
  const preposition = verb === "Removes" ? "from" : "to";
  for (let index = 0; index < Math.min(lines.length, maxReadCount); ) {
    const { line, sentence, lineCount } = quoteFrom(lines, index, isMoved);
    index += lineCount;
    if (line.isCode || !isLong(sentence)) continue;
    return [`${verb}${inSections([line], preposition)}: “${sentence}”${andMoreLines(lines.length - lineCount)}.`];
  }
  const kind = lines.every(({ isCode }) => isCode) ? "code" : "text";
  const [{ text, isCode }] = lines as [ReadLine];
  const only = isCode ? text.trim() : shownOf(text);
  if (lines.length === 1 && only.length <= 80)
    return [`${verb}${inSections(lines, preposition)}: “${unpunctuated(only)}”.`];
  return [`${verb} ${formatCount(lines.length, "line")} of ${kind}${inSections(lines, preposition)}.`];
}

export function describeWording(facts: Facts, described: ReadonlySet<ReadLine>): string[] {
  const { sections, links, words, lines, isWhole } = facts;
  const isMoved = movedTextFinder(facts);
  const retitled = new Set(links.retitled);
  // A name that a fact says is another one in other lines, too.
  const renames = facts.values.filter(({ old, now }) => old !== "" && now !== "").slice(0, maxRenameCount);
  const pathOf = (name: string) => name.replace(/^[A-Z]+\s+/, "");
  const isRenamed = ({ text, partner }: ReadLine) =>
    renames.some(({ old, now }) => partner!.text.replaceAll(pathOf(old), () => pathOf(now)) === text);
  const reworded = facts.reworded.filter((line) => !described.has(line) && !retitled.has(line) && !isRenamed(line));
  // The text of new and lost sections is not described again.
  const isOpen = (line: ReadLine) => !described.has(line) && !isWhole(line.path) && !isMoved(shownOf(line.text));
  const wording = describeReworded(reworded, isMoved);
  const additions = describeLines("Adds", facts.textAdded.filter(isOpen), isMoved);
  const names = [...lines.added, ...lines.removed].flatMap(({ isMeta, text }) =>
    isMeta ? (/^([\w-]{1,40}):/.exec(text)?.[1] ?? []) : [],
  );
  const metadata = [...new Set(names)].filter((name) => !(name === "title" && sections.titleChanged));
  return [
    ...(words.gained >= manyWordCount ? [...additions, ...wording] : [...wording, ...additions]),
    ...describeLines("Removes", facts.textRemoved.filter(isOpen), isMoved),
    ...(metadata.length > 0 ? [`Changes the page's metadata: ${listNames(metadata, 4)}.`] : []),
  ];
}
