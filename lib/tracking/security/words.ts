import { correctSpelling } from "./misspellings";

const zip = (from: string, to: string) => [...from].map((letter, index): [string, string] => [letter, to[index]!]);

/** Lowercase letters of other scripts that look like Latin ones, and ligatures. */
const lookalikes: ReadonlyMap<string, string> = new Map([
  ...zip("аеорсхуіјѕԁһԛԝαορντυικεıɡոօհս", "aeopcxyijsdhqwaopvtuikeignohu"),
  ["ß", "ss"],
]);

/** Groups of words that the rules treat as one word, separated by commas. */
const groupNames: Record<string, string> = {
  "don't": "do not, dont, must not, should not, shall not, may not, mustn't, shouldn't, never, without",
  fromnowon: `from now on, from this point on, from here on, from this moment on, from this point forward, henceforth,
    going forward, as of now, starting now, for the rest of`,
  nolonger: "no longer, not any longer, not anymore",
  ignore: `pay no attention to, don't pay attention to, do not pay attention to, pay no heed to, take no notice of,
    start by ignoring, begin by ignoring, forget about, leave out, let go of, set aside, put aside,
    turn a blind eye to, turn a deaf ear to, get rid of, do away with, step outside, look past, move past, throw out,
    throw away, cast aside, shake off, brush aside, walk away from`,
  csp: "content security policy, content security policies",
  instructed: "been told, were told, was told",
  anymore: "any more",
  systemprompt: "system prompt, system message, system instructions, system instruction",
  apikey: "api key, api keys, access token, access tokens, secret key, secret keys, session token, api token",
  privatekey: "private key, private keys",
  sshkey: "ssh key, ssh keys",
  seedphrase: "seed phrase, recovery phrase, mnemonic phrase",
  creditcard: "credit card, card number, bank account",
  ssn: "social security number, social security numbers",
  envvars: "environment variable, environment variables, env vars",
  chathistory: "chat history, conversation history, message history, chat transcript",
  llm: "language model, language models",
  sofar: "so far, until now, up to now",
  // Imperatives of other languages that have several words.
  hazcasoomiso: "haz caso omiso, haga caso omiso",
  nosigas: "no sigas, no siga, no sigan",
  nohagascaso: "no hagas caso, no haga caso, no obedezcas, no prestes atencion, no tengas en cuenta",
  befolgenicht: "befolge nicht, befolgen sie nicht, beachte nicht, folge nicht, befolge nicht mehr",
  nesuispas: `ne suis pas, ne suivez pas, ne suis plus, ne suivez plus, ne respecte pas, ne respectez pas,
    ne respecte plus, ne respectez plus, ne tiens pas compte, ne tenez pas compte, n'obeis pas, n'obeissez pas,
    fais abstraction, faites abstraction, n'ecoute pas, ne tiens plus compte`,
  naosiga: "nao siga, nao sigas, nao obedeca, nao leve em conta, nao respeite, deixe de seguir",
  nonseguire: "non seguire, non seguite, non tenere conto, non obbedire, non rispettare, non considerare",
};

type Group = { name: string; words: readonly string[] };

/** Groups by their first word, the longest first. */
const groupsByFirst = new Map<string, Group[]>();
for (const [name, phrases] of Object.entries(groupNames)) {
  for (const phrase of phrases.split(/,\s+/)) {
    const words = phrase.split(" ");
    const groups = groupsByFirst.get(words[0]!) ?? [];
    groups.push({ name, words });
    groupsByFirst.set(words[0]!, groups);
  }
}
for (const groups of groupsByFirst.values()) groups.sort((a, b) => b.words.length - a.words.length);

const isAscii = /^[\0-\x7f]*$/;
/** Replaces a character without a Latin lookalike; it ends a word. */
const separator = ".";
/** Most non-ASCII characters whose Latin form is cached. */
const maxFoldedCount = 4_096;
const folded = new Map<string, string>();

/** Returns the lowercase Latin letters that a character looks like: accented, full-width or of another script. */
function foldCharacter(character: string): string {
  const known = folded.get(character);
  if (known !== undefined) return known;
  const plain = character
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replace(/[’‘ʼ]/g, "'");
  const look = lookalikes.get(plain) ?? (/^[\x20-\x7e]{0,4}$/.test(plain) ? plain : separator);
  if (folded.size < maxFoldedCount) folded.set(character, look);
  return look;
}

function fold(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  let plain = "";
  for (const character of text) plain += character < "\x80" ? character : foldCharacter(character);
  return plain.toLowerCase();
}

/** Stands for punctuation between words; marks of emphasis are skipped. */
export const pause = ",";

/** A word, or punctuation. */
const token = /[a-z0-9]+(?:['_-][a-z0-9]+){0,8}|[^a-z0-9\s*_~]+/g;
/** Articles of Romance languages that are written together with the next word. */
const elided = /^(?:l|d|qu|dell|all|nell|sull|dall|quest)'(?=.)/;

/** URLs and e-mail addresses, whose parts are no words. */
const locator = /\b[a-z]{3,6}:\/\/[^\s"'<>]{1,2000}|[\w.+-]{1,64}@[\w.-]{1,253}/gi;
const withoutLocators = (text: string) =>
  text.includes("://") || text.includes("@") ? text.replace(locator, " url ") : text;

function readTokens(sentence: string): string[] {
  const tokens: string[] = [];
  for (const found of fold(withoutLocators(sentence)).match(token) ?? []) {
    const unit = found.charCodeAt(0);
    const isWord = (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);
    if (!isWord) tokens.push(pause);
    else tokens.push(correctSpelling(found.includes("'") ? found.replace(elided, "") : found));
  }
  return tokens;
}

function groupAt(tokens: readonly string[], at: number): Group | undefined {
  return groupsByFirst.get(tokens[at]!)?.find(({ words }) => words.every((word, index) => tokens[at + index] === word));
}

/**
 * Returns the words of a sentence in lowercase Latin letters, with groups such as `do not` as one word, misspellings of
 * the rules' main words corrected, and `pause` for punctuation.
 */
export function tokensOf(sentence: string): string[] {
  const tokens = readTokens(sentence);
  const grouped: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const group = groupAt(tokens, at);
    grouped.push(group?.name ?? tokens[at]!);
    at += group?.words.length ?? 1;
  }
  return grouped;
}

/** Returns the words of a sentence as `tokensOf` does, without punctuation. */
export function wordsOf(sentence: string): string[] {
  return tokensOf(sentence).filter((word) => word !== pause);
}

/** Returns the words of a list that is separated by white space. */
export const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));
