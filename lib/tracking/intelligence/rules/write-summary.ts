import { describeSignals, namedEntries, openedLines } from "./describe-signals";
import {
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
import type { ValueFact } from "./facts/value-fact";
import { describeValues } from "./facts/value-facts";
import { fewLinkCount, isMajor, isSameMajor } from "./judge-significance";

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
