import { describeGains, describeLosses, describeRestructure, hasHeavyLoss } from "./describe-structure";
import { isMajor } from "./judge-significance";
import { counted, listNames, nameOf } from "./plain-text";
import type { Facts } from "./read-facts";
import type { ReadLine } from "./read-lines";
import { amountsOf, type Signal } from "./signals";
import type { SignalKind } from "./wording";

/** Longest summary, in UTF-16 code units. */
const maxSummaryLength = 500;
const maxSentenceCount = 3;

/** Joins the first three sentences, as far as they fit. */
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

/** Returns the subject of a signal: the page that its line links to or the table row, otherwise the section. */
function subjectOf({ line }: Signal): { page: string } | { section: string } {
  const [link] = line.links;
  if (link?.title && line.text.indexOf(link.title) < 12) return { page: link.title };
  const cell = line.text.trimStart().startsWith("|") ? nameOf(line.text.split("|")[1] ?? "") : "";
  return cell ? { page: cell } : { section: nameOf(line.path.split(" > ").at(-1) ?? "") };
}

/** Start of the sentence for each kind; other kinds appear only as categories. */
const openings: Partial<Record<SignalKind, string>> = {
  advisory: "Includes a security notice",
  breaking: "Announces a breaking change",
  deprecation: "Announces a deprecation or shutdown",
  access: "Changes access requirements",
  pricing: "Changes prices",
  model: "Announces a model",
  feature: "Announces a new feature",
  fix: "Mentions a fix",
};

/** Kinds whose subject is itself new and is named after a colon. */
const namedKinds: readonly SignalKind[] = ["model", "feature"];

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
  if (pages.length > 0 && namedKinds.includes(signals[0]!.kind)) return `: ${listNames(pages)}`;
  return parts.length > 0 ? ` ${parts.join(" and ")}` : "";
}

/** Returns `: €0.20 becomes €0.25` if the amounts of a line changed one by one. */
function priceMove({ kind, line }: Signal): string {
  if (kind !== "pricing" || !line.partner) return "";
  const [old, now] = [amountsOf(line.partner.text), amountsOf(line.text)];
  const moves = now.flatMap((amount, index) => (amount === old[index] ? [] : [`${old[index]} becomes ${amount}`]));
  return old.length === now.length && moves.length > 0 && moves.length <= 3 ? `: ${listNames(moves)}` : "";
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
    const move = new Set(group.map(({ line }) => line)).size === 1 ? priceMove(group[0]!) : "";
    return [`${openings[kind]}${subjectsText(group)}${when}${move}.`];
  });
}

function describeWording({ lines, signals, ...facts }: Facts): string[] {
  const retitled = new Set(facts.links.retitled);
  const described = new Set(
    signals.filter(({ kind, isMention }) => openings[kind] && !isMention).map(({ line }) => line),
  );
  const isUndescribed = (line: ReadLine) => !described.has(line) && !retitled.has(line);
  const [reworded, proseAdded] = [facts.reworded.filter(isUndescribed), facts.proseAdded.filter(isUndescribed)];
  const { proseRemoved } = facts;
  const sentences: string[] = [];
  const where = (paths: readonly string[]) => {
    const names = [...new Set(paths)].filter(Boolean).map((path) => path.split(" > ").at(-1)!);
    return names.length > 0 ? ` in ${listNames(names)}` : "";
  };
  const pathsOf = (list: Facts["reworded"]) => list.map(({ path }) => path);
  if (reworded.length > 0) sentences.push(`Changes ${counted(reworded.length, "line")}${where(pathsOf(reworded))}.`);
  const count = proseAdded.length;
  if (count > 0) sentences.push(`Adds ${counted(count, "line")} of text${where(pathsOf(proseAdded))}.`);
  if (proseRemoved.length > 0) {
    sentences.push(`Removes ${counted(proseRemoved.length, "line")} of text${where(pathsOf(proseRemoved))}.`);
  }
  if (lines.isCut) sentences.push("The change is too large to analyse line by line.");
  return sentences;
}

function describeFormatting({ sections, lines }: Facts, restructure: readonly string[]): string {
  if (restructure.length > 0) return "The content is unchanged.";
  const isOrder = sections.isReordered || lines.hasMoved;
  return isOrder
    ? "The content is unchanged except for its order."
    : "Only formatting or the order of lines changed; the content is unchanged.";
}

/** Returns a summary of one to three sentences, most important first. */
export function writeSummary(facts: Facts): string {
  const { signals, sections, isSameContent } = facts;
  const restructure = describeRestructure(facts);
  if (isSameContent) return joinSentences([...restructure, describeFormatting(facts, restructure)]);
  const title = sections.titleChanged && facts.outline.title ? [`The file is now titled ${facts.outline.title}.`] : [];
  const [losses, gains] = [describeLosses(facts), describeGains(facts)];
  const sentences = [
    ...describeSignals(signals.filter(isMajor)),
    ...(hasHeavyLoss(facts) ? losses : gains),
    ...(hasHeavyLoss(facts) ? gains : losses),
    ...describeSignals(signals.filter((signal) => !isMajor(signal))),
    ...restructure,
    ...title,
    ...describeWording(facts),
  ];
  return joinSentences(sentences.length > 0 ? sentences : ["Makes small changes to the text."]);
}
