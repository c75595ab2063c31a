import stem from "wink-porter2-stemmer";

/** Words too common to distinguish documents. */
const stopwords = new Set(
  `a an and are as at be been but by can could did do does for from had has have how i if in into is it its just like many me much my
  no not of on or our please shall she should so some such than that the their them then there these they this those to
  too up us was we were what when where which who whom why will with would you your`.split(/\s+/),
);

/** Splits a text into lower-case words of `a-z0-9` with at least two characters, in order. */
export function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]{2,}/g) ?? [];
}

/** Splits a text into lower-case words of `a-z0-9`, also of one character, in order. */
export function splitLabels(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

/** Letters before a hyphen, and those after it. */
const hyphenated = /(?<![a-z0-9])([a-z]+)-(?=([a-z]+))/g;
/** Longest word that is made of two. */
const maxCompoundLength = 40;

/** Returns the words around each hyphen of a text written together, in order: `drop-in` is `dropin`, `e-mail` is `email`. */
export function compoundsOf(text: string): string[] {
  if (!text.includes("-")) return [];
  const compounds = Array.from(text.toLowerCase().matchAll(hyphenated), ([, first, second]) => `${first}${second}`);
  return compounds.filter((word) => word.length <= maxCompoundLength);
}

export function isStopword(word: string): boolean {
  return stopwords.has(word);
}

/** Splits a text into its words without stopwords, in order. */
export function tokenize(text: string): string[] {
  return splitWords(text).filter((word) => !stopwords.has(word));
}

/** Longest word that is stemmed: no English word is longer, and stemming takes quadratic time. */
const maxStemmedLength = 40;
/** Stems per generation of the cache: when the younger of two generations is full, the older one is dropped. */
const maxStemCount = 32_768;
/** V8 represents longer substrings as views of the whole text, which would keep it in memory. */
const maxCopiedLength = 12;

let stems = new Map<string, string>();
let olderStems = new Map<string, string>();

/** Returns a copy of a word of a-z0-9 that does not reference the text. */
export function ownCopy(word: string): string {
  return word.length > maxCopiedLength ? Buffer.from(word, "latin1").toString("latin1") : word;
}

function remember(token: string, term: string): string {
  if (stems.size >= maxStemCount) {
    olderStems = stems;
    stems = new Map();
  }
  stems.set(token, term);
  return term;
}

/** Returns the term of a token: its Porter2 stem. */
export function termOf(token: string): string {
  const known = stems.get(token);
  if (known !== undefined) return known;
  if (token.length > maxStemmedLength) return ownCopy(token);
  return remember(ownCopy(token), olderStems.get(token) ?? ownCopy(stem(token)));
}

/** Returns the terms of a text in order: its stemmed tokens. */
export function termsOf(text: string): string[] {
  const tokens = tokenize(text);
  for (let index = 0; index < tokens.length; index++) tokens[index] = termOf(tokens[index] as string);
  return tokens;
}

/** A term of a query: how often it occurs, and the token that it was first. */
export type QueryTerm = { weight: number; token: string };

/** Returns the terms of a query in order; at most the first `maxCount` distinct ones. */
export function readQuery(query: string, maxCount = Number.POSITIVE_INFINITY): Map<string, QueryTerm> {
  const terms = new Map<string, QueryTerm>();
  for (const token of tokenize(query)) {
    const term = termOf(token);
    const known = terms.get(term);
    if (known) known.weight += 1;
    else if (terms.size < maxCount) terms.set(term, { weight: 1, token });
  }
  return terms;
}

/** Returns the terms of a query and how often each occurs. */
export function queryTerms(query: string): Map<string, number> {
  return new Map([...readQuery(query)].map(([term, { weight }]) => [term, weight]));
}
