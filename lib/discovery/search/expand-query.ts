import type { TermIndex } from "./ranking/term-index";
import { isStopword, readQuery, splitLabels, termOf, tokenize } from "./terms";

type Terms = Pick<
  TermIndex,
  "completionsOf" | "correctionsOf" | "holderCount" | "inverseFrequency" | "namesLike" | "namesWith"
>;

/** Most distinct terms of a query; further ones are ignored. */
const maxTermCount = 64;
/** Most terms that are expanded; others that no document contains find nothing. */
const maxExpandedCount = 4;
/** Most terms that one term is expanded to. */
const maxAlternativeCount = 8;
/** Lengths of words that may have a typo: in shorter ones, most edits result in another word. */
const [minTypoLength, maxTypoLength] = [4, 20];
/** Shortest prefix, unless it is still being typed. */
const minPrefixLength = 3;
/** Shortest beginning of a name that finds it although it is also a word. */
const minNameLength = 4;
/** Shortest known beginning of a term, and the smallest share of the term that it must have. */
const [minBeginningLength, minBeginningShare] = [5, 0.6];
/** Weights of alternatives relative to the term itself. */
const [typoWeight, prefixWeight] = [0.8, 0.5];

/** Returns the longest term of the index that a term begins with, if what follows looks like a suffix. */
function knownBeginning(terms: Terms, term: string): string[] {
  const shortest = Math.max(minBeginningLength, Math.ceil(term.length * minBeginningShare));
  for (let length = Math.min(term.length - 1, maxTypoLength); length >= shortest; length--) {
    const beginning = term.slice(0, length);
    if (/[aeiou]/.test(term[length] as string) && terms.holderCount(beginning) > 0) return [beginning];
  }
  return [];
}

function mayHaveTypo(word: string): boolean {
  return word.length >= minTypoLength && word.length <= maxTypoLength && !/\d/.test(word);
}

/** Returns the terms of words with one typo, else of those that begin with the word, else the longest that it begins with. */
function alternativesOf(terms: Terms, term: string, word: string): { alternatives: string[]; share: number } {
  const corrected = mayHaveTypo(word) ? terms.correctionsOf(word, maxAlternativeCount) : [];
  if (corrected.length > 0) return { alternatives: corrected, share: typoWeight };
  const longer = word.length >= minPrefixLength ? terms.completionsOf(word, maxAlternativeCount) : [];
  return { alternatives: longer.length > 0 ? longer : knownBeginning(terms, term), share: prefixWeight };
}

/**
 * Returns the terms of neighbouring words that the index has as one word: `web hook`, `log in`, `x.ai`. Each counts as
 * much as its parts together.
 */
function joinedTerms(terms: Terms, q: string): [term: string, weight: number][] {
  const words = splitLabels(q).slice(0, maxTermCount);
  const joined = words.slice(1).map((word, at): [string, number] => {
    const [parts, term] = [[words[at] as string, word], termOf(`${words[at]}${word}`)];
    const frequency = terms.inverseFrequency(term);
    if (frequency === 0 || parts.every((part) => part.length === 1 || isStopword(part))) return [term, 0];
    const known = parts.reduce((sum, part) => sum + terms.inverseFrequency(termOf(part)), 0);
    return [term, known === 0 ? 1 : known / frequency];
  });
  return joined.filter(([, weight]) => weight > 0);
}

/**
 * Returns the terms of a query with their weights for ranking. A term that no document contains is replaced by similar ones.
 * If the query is partial, its last word also stands for the words that begin with it.
 */
export function expandQuery(terms: Terms, q: string, { isPartial = false } = {}): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (term: string, weight: number) => weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  /** Adds alternatives, the most frequent first; the others weigh less, and none gains from being rarer than `likeTerm`. */
  const addAll = (alternatives: readonly string[], weight: number, likeTerm = alternatives[0] as string) => {
    const [first] = alternatives;
    if (first === undefined) return;
    const [count, frequency] = [terms.holderCount(first), terms.inverseFrequency(likeTerm)];
    for (const term of alternatives) {
      const share = Math.sqrt(terms.holderCount(term) / count);
      add(term, (weight * share * frequency) / terms.inverseFrequency(term));
    }
  };
  const typed = isPartial ? tokenize(/[a-z0-9]+$/i.exec(q)?.[0] ?? "")[0] : undefined;
  const completed = typed === undefined ? [] : terms.completionsOf(typed, maxAlternativeCount);
  // If the text so far is a word itself, longer ones are as rare as it is, so that they compete with it.
  const own = typed === undefined ? "" : termOf(typed);
  const longer = completed.filter((term) => term !== own);
  addAll(longer, prefixWeight, terms.holderCount(own) > 0 ? own : longer[0]);
  for (const [term, weight] of joinedTerms(terms, q)) add(term, weight);
  let expandedCount = 0;
  for (const [term, { weight, token }] of readQuery(q, maxTermCount)) {
    const frequency = terms.inverseFrequency(term);
    const addNames = (names: readonly string[], nameWeight: number) => {
      for (const name of names) {
        const most = terms.inverseFrequency(name);
        const share = token.length / Math.max(token.length, name.length);
        add(name, nameWeight * share * (frequency > 0 ? Math.min(1, frequency / most) : 1));
      }
    };
    if (token.length >= minNameLength) addNames(terms.namesWith(token, maxAlternativeCount), weight);
    if (frequency > 0) {
      add(term, weight);
    } else if ((token !== typed || completed.length === 0) && expandedCount++ < maxExpandedCount) {
      const { alternatives, share } = alternativesOf(terms, term, token);
      addAll(alternatives, weight * share);
      if (mayHaveTypo(token)) addNames(terms.namesLike(token, maxAlternativeCount), weight * typoWeight);
    }
  }
  return weights;
}
