import {
  describeExamples,
  describeGains,
  describeLinks,
  describeLosses,
  describeRestructure,
  hasHeavyLoss,
} from "./describe-structure";
import { describeWording } from "./describe-wording";
import type { Facts } from "./facts/read-facts";
import type { Signal } from "./facts/signals";
import type { ValueFact } from "./facts/value-fact";
import { describeValues } from "./facts/value-facts";
import { isMajor } from "./judge-significance";
import { listNames } from "./text/plain-text";
import { entryOf, lastNameOf } from "./text/subject";
import type { SignalKind } from "./text/wording";

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

/** A note after a name: `Starter (no longer free)`. */
const trailingNote = / \([^()]*\)$/;

/** Returns the sentence of a signal without the entry that it begins with, unless the entry itself states it. */
function quoteOf({ line, sentence, words }: Signal): string {
  const start = `${entryOf(line)}: `;
  const rest = sentence.startsWith(start) ? sentence.slice(start.length) : sentence;
  return (rest.includes(words) ? rest : sentence).replace(/[.:;,]+$/, "");
}

/** Returns the subject of a signal: the page or entry of its line, otherwise the section. */
function subjectOf({ line }: Signal): { page: string } | { section: string } {
  const page = entryOf(line).replace(trailingNote, "");
  return page ? { page } : { section: lastNameOf(line.path) };
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

/** Returns a sentence for each kind of signal. */
function describeSignals(signals: readonly Signal[]): string[] {
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
    const sentences = new Map(group.filter(({ sentence }) => sentence).map((signal) => [signal.sentence, signal]));
    const [first] = sentences.values();
    // A list of pages names its subjects; a sentence is quoted.
    const isQuoted = first !== undefined && (sentences.size === 1 || !entryOf(first.line));
    const quote = isQuoted ? `: “${quoteOf(first)}”` : "";
    return [`${openings[kind]}${subjectsText(group)}${when}${quote}.`];
  });
}

/** Signals whose sentence is that of the older line. */
const quotesOld: ReadonlySet<SignalKind> = new Set(["available", "opened"]);

/** Returns the lines that sentences about signals describe. */
const openedLines = (signals: readonly Signal[]) =>
  signals
    .filter(({ kind, line, isMention }) => openings[kind] && !(quotesOld.has(kind) && line.partner) && !isMention)
    .map(({ line }) => line);

const isGone = ({ kind, now, isDocumented }: ValueFact) => isDocumented || (kind !== "price" && now === "");

function describeFormatting({ sections, lines }: Facts, restructure: readonly string[]): string {
  if (restructure.length > 0) return "The content is unchanged.";
  const isOrder = sections.isReordered || lines.hasMoved;
  return isOrder
    ? "The content is unchanged except for its order."
    : "Only formatting or the order of lines changed; the content is unchanged.";
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
  const [losses, gains] = [describeLosses(facts), describeGains(facts)];
  const sentences = [
    ...describeSignals(signals.filter(isMajor)),
    ...describeValues(values, "end"),
    ...describeValues(values.filter(isUnquoted), "price"),
    ...(["package", "call", "model"] as const).flatMap((kind) => describeValues(values, kind)),
    ...(values.some(isGone) ? [...describeValues(values, "endpoint"), ...describeValues(values, "parameter")] : []),
    ...(hasHeavyLoss(facts) ? losses : gains),
    ...(hasHeavyLoss(facts) ? gains : losses),
    ...describeExamples(facts),
    ...(["limit", "endpoint", "parameter", "field", "entry", "version"] as const).flatMap((kind) =>
      describeValues(values, kind),
    ),
    ...describeSignals(signals.filter((signal) => !isMajor(signal))),
    ...restructure,
    ...title,
    ...describeWording(facts, new Set([...openedLines(signals), ...values.map(({ line }) => line)])),
  ];
  const cut = facts.lines.isCut ? ["The change is too large to analyse line by line."] : [];
  const distinct = [...cut, ...new Set(sentences.length > 0 ? sentences : describeLinks(facts))];
  return joinSentences(distinct.length > 0 ? distinct : ["Makes small changes to the text."]);
}
