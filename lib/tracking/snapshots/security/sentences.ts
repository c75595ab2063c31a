/** Length of a sentence up to which it is read, in UTF-16 code units. */
const maxSentenceLength = 400;

const isFeed = (unit: number) => unit === 10 || unit === 13 || unit === 0x2028 || unit === 0x2029 || unit === 0x85;
const isSpace = (unit: number) => unit === 32 || unit === 9 || unit === 0xa0 || isFeed(unit);
/** Marks that always end a sentence (`< > |`), and those that end it before white space (`. ! ? ; :`). */
const endsAnywhere = new Set([..."<>|…。！？；："].map((mark) => mark.charCodeAt(0)));
const endsBeforeSpace = new Set([...".!?;:"].map((mark) => mark.charCodeAt(0)));
/** Closing marks that may occur between the end of a sentence and the white space. */
const closing = new Set([...`"'”’)]*_~`].map((mark) => mark.charCodeAt(0)));

/** Letters and non-ASCII characters can start a sentence; list marks, quotes, digits and brackets are skipped. */
function canStart(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit > 127 && !isSpace(unit));
}

function isEnd(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (isFeed(unit) || endsAnywhere.has(unit)) return true;
  if (!endsBeforeSpace.has(unit)) return false;
  let next = at + 1;
  while (next < at + 4 && closing.has(text.charCodeAt(next))) next++;
  return next >= text.length || isSpace(text.charCodeAt(next));
}

/**
 * Calls `visit` with the range of each sentence: the text between line ends, sentence marks and tags, from its first
 * letter on, at most `maxSentenceLength` long. Reads every character once.
 */
export function visitSentences(text: string, visit: (start: number, end: number) => void): void {
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (start < 0 && canStart(unit)) start = at;
    // Fast path: most of a text is letters and spaces, which end nothing.
    if (start < 0 || unit === 32 || (unit >= 97 && unit <= 122) || !isEnd(text, at)) continue;
    visit(start, Math.min(at, start + maxSentenceLength));
    start = -1;
  }
  if (start >= 0) visit(start, Math.min(text.length, start + maxSentenceLength));
}

/** Lowercase letters of other scripts that look like Latin ones. */
const lookalikes: Record<string, string> = {
  ...{ а: "a", е: "e", о: "o", р: "p", с: "c", х: "x", у: "y", і: "i", ј: "j", ѕ: "s", ԁ: "d", һ: "h", ԛ: "q", ԝ: "w" },
  ...{ α: "a", ο: "o", ρ: "p", ν: "v", τ: "t", υ: "u", ι: "i", κ: "k", ε: "e" },
  ...{ ı: "i", ɡ: "g", ո: "n", օ: "o", հ: "h", ս: "u" },
};

/** Word groups that the rules treat as one word. */
const groupNames: Record<string, readonly string[]> = {
  "don't": ["do not", "dont", "must not", "should not", "shall not", "mustn't", "shouldn't", "never", "without"],
  fromnowon: ["from now on", "from this point on", "from here on", "from this moment on"],
  nolonger: ["no longer"],
  systemprompt: ["system prompt", "system message"],
  apikey: ["api key", "api keys", "access token", "access tokens", "secret key", "secret keys"],
  privatekey: ["private key", "private keys", "ssh key", "ssh keys"],
  seedphrase: ["seed phrase", "recovery phrase", "mnemonic phrase"],
  creditcard: ["credit card", "card number", "bank account"],
  ssn: ["social security number", "social security numbers"],
  envvars: ["environment variables", "env vars"],
  chathistory: ["chat history", "conversation history", "message history"],
  llm: ["language model"],
  sofar: ["so far"],
};
const nameOfGroup = new Map(
  Object.entries(groupNames).flatMap(([name, group]) => group.map((words): [string, string] => [words, name])),
);
const grouped = new RegExp(`(?<![a-z'])(?:${[...nameOfGroup.keys()].join("|")})(?![a-z'])`, "g");

/** First words of the groups, with which a sentence may start. */
export const groupOpeners: readonly string[] = [...nameOfGroup.keys()].map((words) => words.split(" ")[0]!);

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
  const look = lookalikes[plain] ?? (/^[\x20-\x7e]{0,4}$/.test(plain) ? plain : separator);
  if (folded.size < maxFoldedCount) folded.set(character, look);
  return look;
}

function fold(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  let plain = "";
  for (const character of text) plain += character < "\x80" ? character : foldCharacter(character);
  return plain.toLowerCase();
}

/** Returns the words of a sentence in lowercase Latin letters, with groups such as `do not` as one word. */
export function wordsOf(sentence: string): string[] {
  const text = fold(sentence).replace(grouped, (group) => nameOfGroup.get(group) ?? group);
  return text.match(/[a-z0-9]+(?:['_-][a-z0-9]+){0,8}/g) ?? [];
}
