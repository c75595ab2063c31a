import { beginningOfNew } from "./describe-structure";
import type { Facts } from "./facts/read-facts";
import type { Signal } from "./facts/signals";
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
export function describeSignals(signals: readonly Signal[], facts: Facts): string[] {
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
export const openedLines = (signals: readonly Signal[]) =>
  signals
    .filter(({ kind, line, isMention }) => openings[kind] && !(quotesOld.has(kind) && line.partner) && !isMention)
    .map(({ line }) => line);

/** Returns the entries that sentences about signals name. */
export const namedEntries = (signals: readonly Signal[]) =>
  new Set(signals.filter(({ kind, isMention }) => openings[kind] && !isMention).map(({ line }) => entryOf(line)));
