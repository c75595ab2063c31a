import { type AnnouncementKind, announcementKinds, listNames } from "#lib/tracking/wording/index";
import { describeContent, describeRestructure } from "./describe-structure";
import { describeWording } from "./describe-wording";
import type { LineAnnouncement } from "./facts/announcements";
import type { ValueFact, ValueKind } from "./facts/kinds";
import type { Facts } from "./facts/read-facts";
import { describeValues } from "./facts/values";
import { isMajor } from "./judge-significance";
import type { ReadLine } from "./text/read-lines";
import { entryOf, lastNameOf } from "./text/subject";
import { unpunctuated } from "./text/words";

export const maxSummaryLength = 500;
const maxSentenceCount = 2;

/**
 * Joins the first sentences and all required ones, as far as they fit. A line of code may have a control
 * character, such as a carriage return.
 */
export function joinSentences(written: readonly string[], required: ReadonlySet<string> = new Set()): string {
  const sentences = written
    .filter((sentence, index) => index < maxSentenceCount || required.has(sentence))
    .map((sentence) => sentence.replace(/\p{Cc}+/gu, " "));
  let text = "";
  for (const sentence of sentences) {
    if (text.length + sentence.length >= maxSummaryLength) break;
    text = `${text} ${sentence}`.trimStart();
  }
  const letters = Array.from(sentences[0] ?? "").slice(0, maxSummaryLength / 2 - 1);
  return text !== "" ? text : `${letters.join("").trimEnd()}…`;
}

/** Returns a sentence for each kind of announcement: the quotation of one, and the subjects of the others. */
function describeAnnouncements(announcements: readonly LineAnnouncement[]): string[] {
  const said = new Set<string>();
  const subjectOf = (line: ReadLine) => entryOf(line).replace(/ \([^()]*\)$/, "") || lastNameOf(line.path);
  return (Object.keys(announcementKinds) as AnnouncementKind[]).flatMap((kind) => {
    const group = announcements.filter((each) => each.kind === kind && !said.has(each.sentence));
    const quoted =
      group.find(({ isDatedEnd }) => isDatedEnd) ?? group.find(({ line }) => entryOf(line) === "") ?? group[0];
    if (!quoted) return [];
    for (const { sentence } of group) said.add(sentence);
    const own = subjectOf(quoted.line);
    const named = group.filter(({ sentence }) => sentence !== quoted.sentence).map(({ line }) => subjectOf(line));
    const more = [...new Set(named)].filter((name) => name !== "" && name !== own);
    const isNamed = own === "" || quoted.sentence.includes(own);
    const where = isNamed ? "" : ` ${entryOf(quoted.line) ? "for" : "under"} ${own}`;
    const others = more.length > 0 ? `, and for ${listNames(more)}` : "";
    return [`${announcementKinds[kind].opening}${where}: “${unpunctuated(quoted.sentence)}”${others}.`];
  });
}

function withoutRepeated(sentences: readonly string[]): string[] {
  const quoteOf = (sentence: string) => /“[^”]+”/.exec(sentence)?.[0] ?? sentence;
  return sentences.filter((each, index) => !sentences.slice(0, index).some((other) => other.includes(quoteOf(each))));
}

function describeUnchanged({ sections, lines }: Facts, restructure: readonly string[]): string {
  if (restructure.length > 0) return "The content is unchanged.";
  return sections.isReordered || lines.hasMoved
    ? "The content is unchanged except for its order."
    : "Only formatting or the order of lines changed; the content is unchanged.";
}

/** Returns a summary of one or two sentences, most important first. Each changed line is described once. */
export function writeSummary(facts: Facts): string {
  const { announcements, sections, isSameContent, isIndex, outline } = facts;
  const isEndpoint = facts.values.some(({ isBreaking, kind }) => isBreaking && kind === "endpoint");
  // A renamed endpoint is described as such, not as a section.
  const restructure = describeRestructure(facts).filter((each) => !(isEndpoint && each.startsWith("Renames ")));
  if (isSameContent) return joinSentences([...restructure, describeUnchanged(facts, restructure)]);
  const quoted = new Set(announcements.map(({ line }) => line));
  const isMoved = ({ kind, old, now }: ValueFact) => kind === "price" && old !== "" && now !== "";
  const priced = new Set(facts.values.filter(isMoved).map(({ line }) => line));
  // A value of a line that is quoted is not named again, except a price with both of its sides, which is not quoted.
  const values = facts.values.filter((value) => !quoted.has(value.line) || isMoved(value));
  const open = announcements.filter(({ kind, line }) => kind !== "pricing" || !priced.has(line));
  const of = (kind: ValueKind, isWanted: (value: ValueFact) => boolean = () => true) =>
    describeValues(values.filter(isWanted), kind);
  const isLost = ({ now, isBreaking }: ValueFact) => now === "" || isBreaking === true;
  const names = ["endpoint", "header", "name", "type", "parameter", "field", "entry"] as const;
  const partners = facts.values.flatMap(({ line }) => (line.partner ? [line, line.partner] : [line]));
  const isOutlined = isIndex || sections.added.length + sections.removed.length > 0;
  const [prices, limits] = [of("price"), [...of("version"), ...of("limit")]];
  const sentences = [
    ...(facts.lines.isCut ? ["The change is too large to analyse line by line."] : []),
    ...describeAnnouncements(open.filter(isMajor)),
    ...of("end"),
    ...prices,
    ...names.flatMap((kind) => of(kind, isLost)),
    ...of("model"),
    ...(isOutlined ? describeContent(facts) : []),
    ...limits,
    ...names.flatMap((kind) => of(kind, (value) => !isLost(value))),
    ...describeAnnouncements(open.filter((each) => !isMajor(each))),
    ...(isOutlined ? [] : describeContent(facts)),
    ...restructure,
    ...(sections.titleChanged && outline.title ? [`The file is now titled ${outline.title}.`] : []),
    ...describeWording(facts, new Set([...quoted, ...partners])),
  ];
  const distinct = withoutRepeated(sentences.length > 0 ? sentences : describeContent(facts, true));
  return joinSentences(
    distinct.length > 0 ? distinct : ["Changes links, images or other markup; the words are the same."],
    new Set([...prices, ...limits]),
  );
}
