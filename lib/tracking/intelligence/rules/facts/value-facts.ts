import { counted, cutText, listNames, maxReadLineLength, shownOf } from "../text/plain-text";
import type { ReadLine, ReadLines } from "../text/read-lines";
import { cellsOf } from "../text/tables";
import { readCalls, readFields } from "./extract-code";
import { readEndpoints, readLostEndpoints, readNewEndpoints } from "./extract-endpoints";
import { readEntries } from "./extract-entries";
import { answerOf, readLimits } from "./extract-limits";
import { readLostPrices, readPrices } from "./extract-prices";
import { readEnds, readModels, readPackages, readVersions } from "./extract-versions";
import type { ValueFact, ValueKind } from "./value-fact";
import { lowerArticle, quantityWord } from "./value-subjects";

/** Reads the facts of one kind from a line that was added or replaced another. */
const extractors: readonly ((line: ReadLine) => ValueFact[])[] = [readEnds, readLimits, readEndpoints, readVersions];

/** Most lines that are read for facts, and most facts. */
const [maxReadLineCount, maxFactCount] = [5_000, 200];

const anyPrice = /[$€£¥]\s?\d/;

/** Kinds of names that are the same in every section. */
const globalKinds: readonly ValueKind[] = ["call", "package", "model"];
const keyOf = ({ kind, subject, old, now }: ValueFact) =>
  [kind, globalKinds.includes(kind) ? "" : subject, old, now].join("\n");

/** Both texts, the title of the newer one, and whether the section of a path is new or lost as a whole. */
type Context = { before: string; after: string; title: string; isWhole: (path: string) => boolean };

/** Returns the distinct facts about values, in order. A price hides the limits of its line. */
export function readValues({ added, removed }: ReadLines, context: Context): ValueFact[] {
  const { before, after } = context;
  const read = added.slice(0, maxReadLineCount).filter(({ isMeta }) => !isMeta);
  const isIn = { before: searcher(before), after: searcher(after) };
  const about = { isWhole: context.isWhole, hadPrices: anyPrice.test(before) };
  const facts = read.flatMap((line) => {
    const found = [
      ...readPrices(line, isIn.before, about),
      ...readNewEndpoints(line, isIn.before),
      ...extractors.flatMap((extract) => extract(line)),
    ];
    const named = found.filter(({ kind }) => kind === "price" || kind === "end");
    const isHidden = ({ subject }: ValueFact) => named.some((fact) => !line.header || fact.subject === subject);
    return found.filter((fact) => fact.kind !== "limit" || !isHidden(fact));
  });
  const isNamed = new Set(facts.filter(({ kind }) => kind === "limit" || kind === "price").map(({ line }) => line));
  const old = removed.slice(0, maxReadLineCount);
  const lost = old.flatMap((line) => [...readLostPrices(line, isIn.after), ...readLostEndpoints(line, isIn.after)]);
  const code = [
    ...readPackages(old, read, { before, after }),
    ...readCalls(old, read, isIn),
    ...readModels(read, context.title, isIn),
    ...readFields(old, read, isIn.after),
    ...readEntries(old, read, isIn.after, context).filter(({ line, old }) => old === "" || !isNamed.has(line)),
  ];
  const known = new Map([...code, ...facts, ...lost].map((fact) => [keyOf(fact), fact]));
  return [...known.values()].slice(0, maxFactCount);
}

/** Most different values that are searched in a whole text. */
const maxSearchCount = 50;

/** Returns a function that tells whether a value is in a text. After `maxSearchCount` values, all others count as found. */
function searcher(text: string): (value: string) => boolean {
  const known = new Map<string, boolean>();
  return (value) => {
    const found = known.get(value) ?? (known.size < maxSearchCount ? text.includes(value) : true);
    if (known.size < maxSearchCount) known.set(value, found);
    return found;
  };
}

/** Returns the number that a value begins with, or undefined; `16k` is 16,000. */
export function numberOf(value: string): number | undefined {
  const [, digits, factor] = /(\d[\d.,]*)\s?([kmb](?![\w]))?/i.exec(value) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(
    digits
      .replace(/[.,]+$/, "")
      .replace(/,(?=\d{3}\b)/g, "")
      .replace(",", "."),
  );
  return number * ({ k: 1e3, m: 1e6, b: 1e9 }[factor?.toLowerCase() ?? ""] ?? 1);
}

const unitOf = (value: string) => value.replace(/^\D{0,4}\d[\d.,]*\s?/, "").toLowerCase();

const capitalize = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Returns `rises from $160 to $360 a month`, or `changes from … to …` if the values cannot be compared. */
function describeMove(subject: string, old: string, now: string): string {
  const [from, to] = [numberOf(old), numberOf(now)];
  const isSameUnit = unitOf(old) === unitOf(now) || unitOf(old) === "" || unitOf(now) === "";
  const verb =
    from === undefined || to === undefined || !isSameUnit || from === to ? "changes" : to > from ? "rises" : "falls";
  const shared = unitOf(old);
  const start =
    shared !== "" && unitOf(now) === shared && old.toLowerCase().endsWith(shared)
      ? /\d$/.test(old.slice(0, -shared.length))
        ? old
        : old.slice(0, -shared.length).trim()
      : old;
  const form = /[^s]s$/i.test(headOf(subject)) ? verb.slice(0, -1) : verb;
  return `${form} from ${start} to ${now}`;
}

const measure =
  /^[\d.,]+[ -]?(?:[kmgt]i?b|bytes?|ms|milliseconds?|secs?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b/i;
const headOf = (subject: string) => subject.replace(/ (?:on|for|of|under|per|an?) .*$/, "");

/** Whether a value is an answer, or measures plural things, which do not rise or fall themselves: `Keys last 30 days`. */
const isPlainValue = (subject: string, old: string, now: string) =>
  (answerOf(old) !== undefined && answerOf(now) !== undefined) ||
  (measure.test(old) && measure.test(now) && /[^s]s$/i.test(headOf(subject)) && !quantityWord.test(headOf(subject)));

/** Kinds whose values are names, which one cannot compare. */
const namedKinds: ReadonlySet<ValueKind> = new Set([
  "endpoint",
  "parameter",
  "field",
  "entry",
  "call",
  "package",
  "model",
]);

/** Returns the last cell of a row, which says what its entry means: `: “The queue is full”`; empty for other lines. */
function meaningOf({ text, header }: ReadLine): string {
  const cells = header ? cellsOf(text.slice(0, maxReadLineLength)) : [];
  const meaning = shownOf(cells.length > 1 ? (cells.filter(isSentence).at(-1) ?? "") : "");
  return meaning === "" ? "" : `: “${cutText(meaning).replace(/[.:;,]+$/, "")}”`;
}

/** Whether a cell has several words. */
const isSentence = (cell: string) => /\p{L} \S{1,40} \p{L}/u.test(cell);

function describeOne({ kind, line, subject, old, now }: ValueFact): string {
  if (kind === "end") return `the end of ${subject} moves from ${old} to ${now}`;
  if (kind === "entry" && old !== "" && now !== "") return `in the entry ${subject}, “${old}” becomes “${now}”`;
  if (kind === "version") {
    // A package's name keeps its case at the start of a sentence.
    if (!/^(?:the )?\p{Lu}/u.test(subject))
      return `the version of ${subject || "a package"} changes from ${old} to ${now}`;
    return `${subject} ${/[^s]s$/i.test(subject) ? "change" : "changes"} from version ${old} to ${now}`;
  }
  const name = subject || (kind === "price" ? "A price" : "A limit");
  if (namedKinds.has(kind)) {
    const where = subject ? ` (${subject})` : "";
    if (old === "") return `the ${kind} ${now} is new${where}${kind === "entry" ? meaningOf(line) : ""}`;
    return now === "" ? `the ${kind} ${old} is gone${where}` : `the ${kind} ${old} becomes ${now}${where}`;
  }
  if (old === "")
    return kind === "price"
      ? `states a price for ${subject.replace(/^(?:The|An?|Our)\b/, (word) => word.toLowerCase()) || "the first time"}: ${now}`
      : `${capitalize(name)} is new: ${now}`;
  if (now !== "" && isPlainValue(subject, old, now)) return `${capitalize(name)}: ${now} instead of ${old}`;
  return now === ""
    ? `${capitalize(name)}: ${old} is no longer stated`
    : `${capitalize(name)} ${describeMove(name, old, now)}`;
}

/** Most facts that a list has. */
const maxListedCount = 20;

/** Returns a sentence for each fact. */
export function listFacts(values: readonly ValueFact[]): string[] {
  return values.slice(0, maxListedCount).map((value) => `${capitalize(describeOne(value))}.`);
}

const pluralOf: Partial<Record<ValueKind, string>> = { parameter: "parameters", field: "fields", entry: "entries" };

/** Most facts of a kind that are named in a sentence. */
const maxNamedCount = 2;

/** Returns a sentence about the facts of a kind: the first two, and how many there are more. */
export function describeValues(values: readonly ValueFact[], kind: ValueKind): string[] {
  const all = values.filter((value) => value.kind === kind);
  // The same change without a name says nothing more.
  const isNamed = ({ old, now }: ValueFact) =>
    all.some((other) => other.subject !== "" && other.old === old && other.now === now);
  const own = all.filter((value) => value.subject !== "" || !isNamed(value));
  if (own.length === 0) return [];
  const added = own.filter(({ old }) => old === "");
  const names = [...new Set(added.map(({ now }) => now))];
  if (pluralOf[kind] && names.length > 1 && added.length === own.length) {
    return [`Adds the ${pluralOf[kind]} ${listNames(names)}.`];
  }
  const moved = [
    ...own.filter(({ old, now }) => old !== "" && now !== ""),
    ...own.filter(({ old, now }) => old === "" || now === ""),
  ];
  const shown = moved.slice(0, own.length === maxNamedCount + 1 ? maxNamedCount + 1 : maxNamedCount).map(describeOne);
  const left = own.length - shown.length;
  return [
    `${capitalize(shown.map((text, index) => (index > 0 ? lowerArticle(text) : text)).join("; "))}${left > 0 ? `; and ${kind === "entry" ? `${left} more` : counted(left, `more ${kind}`)}` : ""}.`,
  ];
}
