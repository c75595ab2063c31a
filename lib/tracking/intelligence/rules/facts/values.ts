import { formatCount } from "#lib/platform/format-count";
import { capitalize, cutText, listNames, lowerArticle, titleKey } from "#lib/tracking/wording/index";
import type { ReadLines } from "../text/read-lines";
import { quantityWord } from "../text/subject";
import { unpunctuated } from "../text/words";
import { readEnds } from "./announcements";
import { readBounds } from "./bounds";
import type { ValueContext, ValueFact, ValueKind } from "./kinds";
import { answerOf, numberOf, readLimits } from "./limits";
import { bareOf, meaningOf, readNames } from "./names";
import { readLostPrices, readPrices } from "./prices";

const [maxReadLineCount, maxFactCount, maxSearchCount] = [5_000, 200, 200];

/** Returns a function that tells whether a text has a value, not as a part of a longer name. After `maxSearchCount` values, all others count as found. */
function searcher(text: string): (value: string) => boolean {
  const known = new Map<string, boolean>();
  const search = (value: string) => {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
      const isStart = !/^\w/.test(value) || !/\w[-.]?$/.test(text.slice(Math.max(0, at - 2), at));
      const after = text.slice(at + value.length, at + value.length + 2);
      if (isStart && !(/\w$/.test(value) && /^(?:\w|[-.]\w)/.test(after))) return true;
    }
    return false;
  };
  return (value) => {
    const found = known.get(value) ?? (known.size < maxSearchCount ? search(value) : true);
    known.set(value, found);
    return found;
  };
}

/** What makes two facts the same. Endpoints are the same with and without their method. */
const keyOf = ({ kind, subject, old, now }: ValueFact) =>
  [kind, kind === "model" || kind === "endpoint" ? "" : subject, bareOf(old), bareOf(now)].join("\n");

/** Returns the distinct facts about values, in order. A price or end hides the limits of the same subject. */
export function readValues(
  lines: ReadLines,
  texts: { before: string; after: string },
  about: Pick<ValueContext, "title" | "isWhole" | "hasSibling">,
): ValueFact[] {
  const added = lines.added.slice(0, maxReadLineCount).filter(({ isMeta }) => !isMeta);
  const removed = lines.removed.slice(0, maxReadLineCount);
  const hadPrices = /[$€£¥]\s?\d/.test(texts.before);
  const context = { ...about, hadPrices, isInOlder: searcher(texts.before), isInNewer: searcher(texts.after) };
  const bounds = new Map(added.map((line) => [line, readBounds(line)] as const).filter(([, { length }]) => length > 0));
  const all = [
    ...readNames({ removed, added }, context).filter(({ kind, line }) => kind !== "entry" || !bounds.has(line)),
    ...added.flatMap((line) => {
      const prices = readPrices(line, context);
      const limits = bounds.get(line) ?? readLimits(line);
      return [
        ...prices,
        ...readEnds(line),
        ...limits.filter(({ subject }) => !prices.some((price) => price.subject === subject)),
      ];
    }),
    ...removed.flatMap((line) => readLostPrices(line, context)),
  ];
  const distinct = [...new Map([...all].reverse().map((fact) => [keyOf(fact), fact])).values()].reverse();
  return distinct.slice(0, maxFactCount);
}

const unitOf = (value: string) => value.replace(/^\D{0,4}\d[\d.,]*\s?/, "").toLowerCase();
const headOf = (subject: string) => subject.replace(/ (?:on|for|of|under|per|an?) .*$/, "");
const isPlural = (subject: string) => /[^si]s$|Is$/.test(headOf(subject));

/** Returns `X rises from $160 to $360 a month`, `X changes from … to …` if the values cannot be compared, or `X: … instead of …`. */
function describeMove(name: string, old: string, now: string): string {
  const [from, to] = [numberOf(old), numberOf(now)];
  const [unit, other] = [unitOf(old), unitOf(now)];
  const isAnswer = answerOf(old) !== undefined && answerOf(now) !== undefined;
  // What is measured does not rise or fall itself: "Keys last 30 days".
  const isMeasure = isPlural(name) && /^(?:[kmgt]i?b|[a-z]+s?)$/.test(unit) && !quantityWord.test(headOf(name));
  if (isAnswer || isMeasure) return `${name}: ${now} instead of ${old}`;
  const isComparable = (unit === other || unit === "" || other === "") && Number.isFinite(Number(from) + Number(to));
  const verb = !isComparable || from === to ? "changes" : to! > from! ? "rises" : "falls";
  const start = unit !== "" && other === unit ? old.slice(0, -unit.length).trim() : old;
  return `${name} ${isPlural(name) ? verb.slice(0, -1) : verb} from ${/\d$/.test(start) ? start : old} to ${now}`;
}

function describeOne({ kind, line, subject, old, now, isBreaking }: ValueFact): string {
  if (kind === "end" && now === "")
    return `the announced end of ${lowerArticle(subject)}${old && ` (${old})`} is ${old ? "no longer stated" : "withdrawn"}`;
  if (kind === "end" && old === "") return `the end of ${lowerArticle(subject)} is set to ${now}`;
  if (kind === "end") return `the end of ${lowerArticle(subject)} moves from ${old} to ${now}`;
  if (old === "optional" || old === "required") return `the entry ${subject} is now ${now}`;
  if (kind === "version") return `${subject} rises from ${old} to ${now}`;
  if (kind === "limit" && isBreaking) return `${subject} changes from ${old} to ${now}`;
  if (kind === "price" || kind === "limit") {
    const name = capitalize(subject || `A ${kind}`);
    if (now === "") return `${name}: ${old === "free" ? "“free”" : old} is no longer stated`;
    return old === ""
      ? `states a price for ${subject ? lowerArticle(subject) : "the first time"}: ${now}`
      : describeMove(name, old, now);
  }
  if (kind === "entry" && old !== "" && now !== "" && !isBreaking)
    return `in the entry ${subject}, “${old}” becomes “${now}”`;
  const where = subject && !titleKey(subject).includes(titleKey(now || old)) ? ` (${subject})` : "";
  if (old !== "") return `the ${kind} ${old} ${now === "" ? "is gone" : `becomes ${now}`}${where}`;
  const meaning = kind === "entry" ? unpunctuated(cutText(meaningOf(line))) : "";
  return `the ${kind} ${now} is new${isBreaking ? " and required" : ""}${where}${meaning ? `: “${meaning}”` : ""}`;
}

const [maxListedCount, maxNamedCount] = [20, 3];

export const listFacts = (values: readonly ValueFact[]) =>
  values.slice(0, maxListedCount).map((value) => `${capitalize(describeOne(value))}.`);

export const listMoves = (values: readonly ValueFact[]) =>
  values.flatMap(({ kind, old, now }) => {
    const [from, to] = kind === "price" || kind === "limit" ? [numberOf(old), numberOf(now)] : [];
    return Number.isFinite(Number(from) + Number(to)) && from !== to ? [{ kind, old: from!, now: to! }] : [];
  });

const pluralOf: Partial<Record<ValueKind, string>> = { parameter: "parameters", field: "fields", entry: "entries" };

export function describeValues(values: readonly ValueFact[], kind: ValueKind): string[] {
  const all = values.filter((value) => value.kind === kind);
  const isSame = (a: ValueFact, b: ValueFact) => a.old === b.old && a.now === b.now;
  // The same change without a name says nothing more.
  const own = all.filter(
    (value) => value.subject !== "" || !all.some((each) => each.subject !== "" && isSame(each, value)),
  );
  if (own.length === 0) return [];
  const names = [...new Set(own.filter(({ old }) => old === "").map(({ now }) => now))];
  if (pluralOf[kind] && names.length > 1 && own.every(({ old, isBreaking }) => old === "" && !isBreaking))
    return [`Adds the ${pluralOf[kind]} ${listNames(names)}.`];
  const isMove = ({ old, now }: ValueFact) => old !== "" && now !== "";
  const sorted = [...own.filter(isMove), ...own.filter((value) => !isMove(value))];
  const shown = sorted.slice(0, own.length === maxNamedCount + 1 ? own.length : maxNamedCount).map(describeOne);
  const left = own.length - shown.length;
  const more = left > 0 ? `; and ${kind === "entry" ? `${left} more` : formatCount(left, `more ${kind}`)}` : "";
  return [`${capitalize(shown.map((text, index) => (index > 0 ? lowerArticle(text) : text)).join("; "))}${more}.`];
}
