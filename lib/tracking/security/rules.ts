import classes from "./phrases/classes.json" with { type: "json" };
import phrases from "./phrases/phrases.json" with { type: "json" };

type Step = { sets: readonly ReadonlySet<string>[]; within: number; isForbidden: boolean };

/** A group of phrases with the same result, as written in `phrases.json`. */
export type RuleEntry = {
  rule: {
    detector: string;
    points: number;
    /**
     * Where a phrase may start: at the beginning of its `sentence` or of a `clause` (the default; both after salutations), as an
     * `imperative` (not after "we", "which", "do not"), or `anywhere`.
     */
    place?: string;
    /** Classes of which the sentence has a word each, and words that make it harmless. */
    needs?: string;
    unless?: string;
    /** Whether inline code is read as a part of the sentence: it has the addresses and file names. */
    code?: boolean;
  };
  why: string;
  /** Each phrase with an example that it alone finds. */
  phrases: Readonly<Record<string, string | undefined>>;
  harmless?: readonly string[];
};

/** Pattern over the words of a sentence: words that it starts with, and the steps that follow in this order. */
export type Rule = RuleEntry["rule"] & {
  opens: ReadonlySet<string>;
  steps: readonly Step[];
  required: readonly ReadonlySet<string>[];
  excusing: ReadonlySet<string>;
};

export type WordList = string | readonly string[];

export const splitWords = (lines: WordList, separator: string) =>
  [lines]
    .flat()
    .flatMap((line) => line.split(separator))
    .flatMap((word) => (word.endsWith("/s") ? [word.slice(0, -2), `${word.slice(0, -2)}s`] : [word]));

const written: Readonly<Record<string, WordList>> = classes;
const expanded = new Map<string, ReadonlySet<string>>();

/** Returns the words that `NAME` or `one|NAME|two` denotes; `.` stands for the end of a sentence or a pause in it. */
export function wordClass(notation: string): ReadonlySet<string> {
  const known = expanded.get(notation);
  if (known) return known;
  const words = notation.split("|").flatMap((part) => {
    if (!/^[A-Z_]+$/.test(part)) return [part];
    const lines = written[part];
    if (lines === undefined) throw new Error(`There is no word class ${part}`);
    return splitWords(lines, " ").flatMap((word) => [...wordClass(word)]);
  });
  const set = new Set(words);
  expanded.set(notation, set);
  return set;
}

const setsOf = (notation: string) => notation.split("&").map(wordClass);

/** `4:A|b&C`: a word of A or "b" and one of C within four words. `!A`: the next word is none of A. */
function readStep(notation: string): Step {
  if (notation.startsWith("!")) return { sets: setsOf(notation.slice(1)), within: 1, isForbidden: true };
  const [, within, words] = /^([1-9]\d?):(\S+)$/.exec(notation) ?? [];
  if (!within || !words) throw new Error(`${notation} is not a step of a phrase`);
  return { sets: setsOf(words), within: Number(within), isForbidden: false };
}

export function readRules({ rule, phrases }: RuleEntry): Rule[] {
  const required = rule.needs === undefined ? [] : setsOf(rule.needs);
  const excusing = rule.unless === undefined ? new Set<string>() : wordClass(rule.unless);
  return Object.keys(phrases).map((phrase) => {
    const [opens = "", ...steps] = phrase.split(" ");
    // All with the same properties in one order, which the engine reads faster.
    const { detector, points, place, code } = rule;
    return { detector, points, place, code, opens: wordClass(opens), steps: steps.map(readStep), required, excusing };
  });
}

export const ruleEntries: readonly RuleEntry[] = phrases;

/** Stands for punctuation between words; marks of emphasis are skipped. */
export const pause = ",";

/** Returns where a word of the set is among the next `within` words, or -1. A pause is no word, but may be asked for. */
function findWord(tokens: readonly string[], from: number, { within }: Step, set: ReadonlySet<string>): number {
  const asksForEnd = set.has(".");
  for (let at = from + 1, left = within; at < tokens.length; at++) {
    if (set.has(tokens[at]!) || (asksForEnd && tokens[at] === pause)) return at;
    if (tokens[at] !== pause && --left === 0) return -1;
  }
  return asksForEnd ? tokens.length : -1;
}

export function matchSteps({ steps }: Rule, tokens: readonly string[], opener: number): boolean {
  let at = opener;
  for (const step of steps) {
    const found = step.sets.map((set) => findWord(tokens, at, step, set));
    if (step.isForbidden ? found[0] === at + 1 : found.includes(-1)) return false;
    if (!step.isForbidden) at = Math.max(...found);
  }
  return true;
}

export function byOpener(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const byWord = new Map<string, Rule[]>();
  for (const rule of rules) for (const word of rule.opens) byWord.set(word, [...(byWord.get(word) ?? []), rule]);
  return byWord;
}
