import {
  beginningOfNew,
  describeExamples,
  describeLinks,
  describeLostLinks,
  describeLostSections,
  describeNewLinks,
  describeNewSections,
  describeRestructure,
  hasHeavyLoss,
} from "./describe-structure";
import { describeWording } from "./describe-wording";
import type { Facts } from "./facts/read-facts";
import type { Signal } from "./facts/signals";
import type { ValueFact } from "./facts/value-fact";
import { describeValues } from "./facts/value-facts";
import { fewLinkCount, isMajor, isSameMajor } from "./judge-significance";
import { listNames } from "./text/plain-text";
import { entryOf, lastNameOf } from "./text/subject";
import type { SignalKind } from "./text/wording";

/** A note after a name: `Starter (no longer free)`. */
const trailingNote = / \([^()]*\)$/;

/** Returns the sentence of a signal without the entry that it begins with, unless the entry itself states it. */
function quoteOf({ line, sentence, words }: Signal): string {
  const start = `${entryOf(line)}: `;
  const rest = sentence.startsWith(start) ? sentence.slice(start.length) : sentence;
  return (rest.includes(words) ? rest : sentence).replace(/[.:;,]+$/, "");
}

/** Labels that name what a line does instead of its subject: `**Deprecated:** glow-2`. */
const noticeLabel =
  /^(?:deprecat(?:ed|ion)|breaking(?: change)?s?|new|fix(?:ed)?|known issues?|notes?|notice|warning|important|caution|updates?)$/i;

/** Returns the subject of a signal: the page or entry of its line, otherwise the section. */
function subjectOf({ line }: Signal): { page: string } | { section: string } {
  const page = entryOf(line).replace(trailingNote, "");
  return page && !noticeLabel.test(page) ? { page } : { section: lastNameOf(line.path) };
}

/** Start of the sentence for each kind; other kinds appear only as categories. */
const openings: Partial<Record<SignalKind, string>> = {
  advisory: "Includes a security notice",
  breaking: "Announces a breaking change",
  deprecation: "Announces a deprecation or shutdown",
  access: "Changes access requirements",
  pricing: "Announces a change of prices",
  model: "Announces a model",
  launch: "States that something is now available",
  feature: "Announces a new feature",
  available: "No longer states",
  opened: "No longer states",
  unavailable: "States that something is not available",
  effective: "An announced change has taken effect",
  fix: "Mentions a fix",
};

/** Returns ` for Charges and Refunds` or ` under Pricing`. */
function subjectsText(signals: readonly Signal[]): string {
  const subjects = signals.map(subjectOf);
  const pages = [...new Set(subjects.map((subject) => ("page" in subject ? subject.page : "")))].filter(Boolean);
  const sections = [...new Set(subjects.map((subject) => ("section" in subject ? subject.section : "")))].filter(
    Boolean,
  );
  const parts = [
    ...(pages.length > 0 ? [`for ${listNames(pages)}`] : []),
    ...(sections.length > 0 ? [`under ${listNames(sections)}`] : []),
  ];
  return parts.length > 0 ? ` ${parts.join(" and ")}` : "";
}

/** Chooses the signal that is quoted: a dated statement rather than a label, a row or a link's description. */
function chooseQuoted(signals: readonly Signal[]): Signal | undefined {
  const stated = signals.filter(({ sentence }) => sentence !== "");
  const isProse = (signal: Signal) => "section" in subjectOf(signal);
  return stated.find((signal) => signal.date !== "" && isProse(signal)) ?? stated.find(isProse) ?? stated[0];
}

/** Returns a sentence for each kind of signal. */
function describeSignals(signals: readonly Signal[], facts: Facts): string[] {
  const groups = new Map<SignalKind, Signal[]>();
  for (const signal of signals) {
    if (signal.isMention) continue;
    const group = groups.get(signal.kind) ?? [];
    if (group.length === 0) groups.set(signal.kind, group);
    group.push(signal);
  }
  return (Object.keys(openings) as SignalKind[]).flatMap((kind) => {
    const group = groups.get(kind);
    if (!group) return [];
    const dates = [...new Set(group.map(({ date }) => date).filter(Boolean))];
    const when = dates.length > 0 ? ` (${listNames(dates, 2)})` : "";
    const sentences = new Set(group.map(({ sentence }) => sentence).filter(Boolean));
    const quoted = chooseQuoted(group);
    // A list of pages names its subjects; a sentence is quoted.
    if (!quoted || (sentences.size > 1 && "page" in subjectOf(quoted)))
      return [`${openings[kind]}${subjectsText(group)}${when}.`];
    const isSame = ({ sentence }: Signal) => sentence === quoted.sentence;
    const others = group.filter((signal) => "page" in subjectOf(signal) && !isSame(signal));
    const more = others.length > 0 ? `, and${subjectsText(others)}` : "";
    const beginning = kind === "advisory" ? beginningOfNew(quoted.line.path, facts) : "";
    return [
      `${openings[kind]}${subjectsText(group.filter(isSame))}${when}${beginning || `: “${quoteOf(quoted)}”`}${more}.`,
    ];
  });
}

/** Signals whose sentence is that of the older line. */
const quotesOld: ReadonlySet<SignalKind> = new Set(["available", "opened"]);

/** Returns the lines that sentences about signals describe. */
const openedLines = (signals: readonly Signal[]) =>
  signals
    .filter(({ kind, line, isMention }) => openings[kind] && !(quotesOld.has(kind) && line.partner) && !isMention)
    .map(({ line }) => line);

/** Returns the entries that sentences about signals name. */
const namedEntries = (signals: readonly Signal[]) =>
  new Set(signals.filter(({ kind, isMention }) => openings[kind] && !isMention).map(({ line }) => entryOf(line)));

/** Longest summary, in UTF-16 code units. */
const maxSummaryLength = 500;
const maxSentenceCount = 2;

/** Joins the first two sentences, as far as they fit. */
export function joinSentences(sentences: readonly string[]): string {
  let text = "";
  for (const sentence of sentences.slice(0, maxSentenceCount)) {
    const next = text === "" ? sentence : `${text} ${sentence}`;
    if (next.length > maxSummaryLength) break;
    text = next;
  }
  if (text !== "") return text;
  return `${Array.from(sentences[0] ?? "")
    .slice(0, maxSummaryLength / 2 - 1)
    .join("")
    .trimEnd()}…`;
}

const isGone = ({ kind, now, isDocumented }: ValueFact) => isDocumented || (kind !== "price" && now === "");

function describeFormatting({ sections, lines }: Facts, restructure: readonly string[]): string {
  if (restructure.length > 0) return "The content is unchanged.";
  const isOrder = sections.isReordered || lines.hasMoved;
  return isOrder
    ? "The content is unchanged except for its order."
    : "Only formatting or the order of lines changed; the content is unchanged.";
}

/** Leaves out what repeats a quotation: of a sentence about a section the quotation alone. */
function withoutRepeatedQuotes(sentences: readonly string[]): string[] {
  const known = new Set<string>();
  const kept = sentences.flatMap((sentence) => {
    const quote = /: “([^”]+)”/.exec(sentence)?.[1];
    if (quote === undefined || !known.has(quote)) {
      if (quote !== undefined) known.add(quote);
      return [sentence];
    }
    return sentence.startsWith("Adds the section ") ? [sentence.replace(`: “${quote}”`, "")] : [];
  });
  return [...new Set(kept)];
}

/** Returns a summary of one or two sentences, most important first. */
export function writeSummary(facts: Facts): string {
  const { signals, sections, isSameContent, values } = facts;
  // A renamed endpoint is described as such, not as a section.
  const isEndpoint = (sentence: string) =>
    values.some(({ isDocumented }) => isDocumented) && /^Renames /.test(sentence);
  const restructure = describeRestructure(facts).filter((sentence) => !isEndpoint(sentence));
  if (isSameContent) return joinSentences([...restructure, describeFormatting(facts, restructure)]);
  const title = sections.titleChanged && facts.outline.title ? [`The file is now titled ${facts.outline.title}.`] : [];
  // The prices of a quoted announcement are not named again.
  const quoted = new Set(
    signals.filter(({ kind, isMention }) => kind === "pricing" && !isMention).map(({ line }) => line),
  );
  const isUnquoted = ({ line }: ValueFact) => !quoted.has(line);
  const [lost, gained] = [describeLostSections(facts), describeNewSections(facts)];
  const isHeavy = hasHeavyLoss(facts);
  const others = signals.filter((signal) => !isMajor(signal));
  const [lostLinks, newLinks] = [describeLostLinks(facts), describeNewLinks(facts, namedEntries(others))];
  const inOrder = (losses: string[], gains: string[]) => (isHeavy ? [...losses, ...gains] : [...gains, ...losses]);
  // One or two links are the least of changes.
  const hasFewLinks = facts.links.added.length + facts.links.lost.length <= fewLinkCount;
  const [outline, links] = hasFewLinks
    ? [inOrder(lost, gained), inOrder(lostLinks, newLinks)]
    : [inOrder([...lost, ...lostLinks], [...gained, ...newLinks]), []];
  const isMajorVersion = (value: ValueFact) => value.kind === "version" && !isSameMajor(value);
  const sentences = [
    ...describeSignals(signals.filter(isMajor), facts),
    ...describeValues(values, "end"),
    ...describeValues(values.filter(isUnquoted), "price"),
    ...(["package", "call", "model"] as const).flatMap((kind) => describeValues(values, kind)),
    ...describeValues(values.filter(isMajorVersion), "version"),
    ...(values.some(isGone) ? [...describeValues(values, "endpoint"), ...describeValues(values, "parameter")] : []),
    ...outline,
    ...describeExamples(facts),
    ...(["limit", "endpoint", "parameter", "field", "entry"] as const).flatMap((kind) => describeValues(values, kind)),
    ...describeValues(
      values.filter((value) => !isMajorVersion(value)),
      "version",
    ),
    ...describeSignals(others, facts),
    ...links,
    ...restructure,
    ...title,
    ...describeWording(facts, new Set([...openedLines(signals), ...values.map(({ line }) => line)])),
  ];
  const cut = facts.lines.isCut ? ["The change is too large to analyse line by line."] : [];
  const distinct = [...cut, ...withoutRepeatedQuotes(sentences.length > 0 ? sentences : describeLinks(facts))];
  return joinSentences(distinct.length > 0 ? distinct : ["Makes small changes to the text."]);
}
