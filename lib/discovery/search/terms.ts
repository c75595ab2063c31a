import stem from "wink-porter2-stemmer";

/** Words too common to tell documents apart. */
const stopwords = new Set(
  `a an and are as at be been but by can could did do does for from had has have how i if in into is it its just like me my
  no not of on or our please shall she should so some such than that the their them then there these they this those to
  too up us was we were what when where which who whom why will with would you your`.split(/\s+/),
);

/** Lower-case words of `a-z0-9` longer than one character, stopwords removed, in order. */
export function tokenize(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]{2,}/g) ?? [];
  return words.filter((word) => !stopwords.has(word));
}

/** Longer words are taken as they are: no English word has so many letters, and stemming takes quadratic time. */
const maxStemmedLength = 40;
/** Stems of one generation: two are remembered, and the older one goes when the younger is full. */
const maxStemCount = 32_768;
/** V8 keeps a longer substring as a view of the whole text, which would then stay in memory with it. */
const maxCopiedLength = 12;

let stems = new Map<string, string>();
let olderStems = new Map<string, string>();

/** A string of its own for characters of a-z0-9. */
function ownCopy(word: string): string {
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

/** The term of a token: its Porter2 stem. */
function termOf(token: string): string {
  const known = stems.get(token);
  if (known !== undefined) return known;
  if (token.length > maxStemmedLength) return ownCopy(token);
  return remember(ownCopy(token), olderStems.get(token) ?? ownCopy(stem(token)));
}

/** The terms of a text in order: its tokens, stemmed. */
export function termsOf(text: string): string[] {
  const tokens = tokenize(text);
  for (let index = 0; index < tokens.length; index++) tokens[index] = termOf(tokens[index] as string);
  return tokens;
}

/** The terms of a query, each with how often it stands there; of more than `maxCount` different ones the first. */
export function queryTerms(query: string, maxCount = Number.POSITIVE_INFINITY): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of termsOf(query)) {
    const known = weights.get(term);
    if (known !== undefined || weights.size < maxCount) weights.set(term, (known ?? 0) + 1);
  }
  return weights;
}
