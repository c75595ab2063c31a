import { type ByteRange, MappedText, unescapeAgain } from "./mapped-text";
import { type Rule, rules, suspicion } from "./secret-rules";

/** The range of a secret in a text; `end` is exclusive. */
export type Finding = { start: number; end: number; rule: string };

/** Texts to mask wherever they are, and texts that are none although they look like a secret. */
export type Terms = { known: readonly string[]; allowed: readonly string[]; isAnswer?: boolean };

const masked = /^\*+$/;

/** Characters beside a match that show that it is a part of encoded bytes. */
const minEncodedLength = 500;
const encoded = new RegExp(`^[A-Za-z0-9+/_-]{${minEncodedLength}}$`);

/** Whether a match lies within encoded bytes, such as an image, in which the prefix of a key occurs by chance. */
function isEncoded(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - minEncodedLength), start);
  return encoded.test(before) || encoded.test(text.slice(end, end + minEncodedLength));
}

function* matchRule({ name, pattern, accepts }: Rule, text: string): Generator<Finding> {
  for (const match of text.matchAll(pattern)) {
    const secret = match[1] ?? match[0];
    if (masked.test(secret) || accepts?.(secret) === false) continue;
    // A secret is the last part of a match, apart from the `@` after a password in a URL.
    const start = match.index + match[0].lastIndexOf(secret);
    // A pattern with a group has found a word before the secret, which may be longer than the match.
    if (match[1] === undefined && isEncoded(text, start, start + secret.length)) continue;
    yield { start, end: start + secret.length, rule: name };
  }
}

const keyBegin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Longest body of a PEM private key, in characters: an RSA key of 16,384 bits has about 12,500. */
const maxKeyBodyLength = 32_768;

/** Between texts that are searched together: no secret contains it. */
const separator = "\0";

/** Finds the text between the two markers of a private key; without the end marker, as far as it is base64. */
function* matchPrivateKeys(text: string): Generator<Finding> {
  let searchFrom = 0;
  let endMark: RegExpExecArray | null | undefined;
  for (const begin of text.matchAll(keyBegin)) {
    const start = begin.index + begin[0].length;
    if (start < searchFrom) continue;
    if (endMark === undefined || (endMark && endMark.index < start)) {
      keyEnd.lastIndex = start;
      endMark = keyEnd.exec(text);
    }
    const [body = ""] = text.slice(start, start + maxKeyBodyLength).split(separator, 1);
    const end =
      endMark && endMark.index <= start + body.length
        ? endMark.index
        : start + (/^[A-Za-z0-9+/=\s\\]*/.exec(body)?.[0].length ?? 0);
    searchFrom = end;
    if (/[A-Za-z0-9+/]{16}/.test(text.slice(start, end))) yield { start, end, rule: "private-key" };
  }
}

/** Minimum length of a known secret that is masked inside words, in characters. Shorter ones may be words: `none`. */
export const minKnownLength = 8;

function* matchKnown(text: string, known: readonly string[]): Generator<Finding> {
  for (const secret of known) {
    for (let start = text.indexOf(secret); start >= 0; start = text.indexOf(secret, start + secret.length)) {
      const end = start + secret.length;
      // A short text is a part of many words, also of the protocol's own: `age` of `message`.
      const isPartOfWord = /\w/.test(text[start - 1] ?? "") || /\w/.test(text[end] ?? "");
      if (secret.length >= minKnownLength || !isPartOfWord) yield { start, end, rule: "api-key" };
    }
  }
}

/** Merges overlapping findings under the rule of the one that starts first. */
function merge(findings: Finding[]): Finding[] {
  findings.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Finding[] = [];
  for (const finding of findings) {
    const last = merged.at(-1);
    if (last && finding.start < last.end) last.end = Math.max(last.end, finding.end);
    else merged.push({ ...finding });
  }
  return merged;
}

/** Longest text that is first searched for all patterns at once, in characters: bodies have many short strings. */
const maxShortLength = 1_000;
/** Matches wherever one of the patterns does. */
const anyPattern = new RegExp(
  [...[...rules, suspicion].map(({ pattern }) => pattern.source), keyBegin.source].join("|"),
  "i",
);
const anyPatternAtStart = new RegExp(anyPattern, "iy");

const rulesOfAnswers = rules.filter(({ isOfRequests }) => !isOfRequests);
const rulesFor = (isAnswer: boolean) => (isAnswer ? rulesOfAnswers : rules);

/** Length of a block of encoded bytes: more than any secret has in a row, and than what makes bytes count as encoded. */
const blockLength = 32_768;
const encodedBlock = new RegExp(`[A-Za-z0-9+/_-]{${blockLength}}`, "y");

/** Returns the parts of a text that can have a secret: all but blocks of encoded bytes between others, as a long image has. */
function searchedParts(text: string): { offset: number; part: string }[] {
  if (text.length < 3 * blockLength) return [{ offset: 0, part: text }];
  const isEncodedAt = (offset: number) => {
    encodedBlock.lastIndex = offset;
    return encodedBlock.test(text);
  };
  const parts: { offset: number; part: string }[] = [];
  let start = 0;
  let [wasEncoded, isNow] = [false, isEncodedAt(0)];
  for (let offset = 0; offset < text.length; offset += blockLength) {
    const isNext = isEncodedAt(offset + blockLength);
    if (wasEncoded && isNow && isNext) {
      if (start < offset) parts.push({ offset: start, part: text.slice(start, offset) });
      start = offset + blockLength;
    }
    [wasEncoded, isNow] = [isNow, isNext];
  }
  return [...parts, { offset: start, part: text.slice(start) }];
}

/** Returns all secrets in a text in order: the known ones, and those that match a pattern. Last, what may be one. */
function findSecrets(text: string, { known, allowed, isAnswer = false }: Terms): Finding[] {
  if (text.length <= maxShortLength && !anyPattern.test(text)) return merge([...matchKnown(text, known)]);
  const isAllowed = ({ start, end }: Finding) => allowed.some((part) => text.slice(start, end).includes(part));
  const parts = searchedParts(text);
  const search = (find: (part: string) => Iterable<Finding>) =>
    parts.flatMap(({ offset, part }) =>
      Array.from(find(part), ({ start, end, rule }) => ({ start: offset + start, end: offset + end, rule })),
    );
  const matches = (rule: Rule) => search((part) => matchRule(rule, part)).filter((finding) => !isAllowed(finding));
  const secrets = merge([
    ...matchKnown(text, known),
    ...search(matchPrivateKeys),
    ...rulesFor(isAnswer).flatMap(matches),
  ]);
  let next = 0;
  const isFound = ({ start, end }: Finding) => {
    while ((secrets[next]?.end ?? Infinity) <= start) next += 1;
    return (secrets[next]?.start ?? Infinity) < end;
  };
  return [...secrets, ...matches(suspicion).filter((finding) => !isFound(finding))];
}

/** Returns the known secrets in the encoding of the scanned texts: one character per UTF-8 byte. */
export function knownSecrets(secrets: readonly (string | undefined)[], minLength = minKnownLength): string[] {
  return secrets
    .filter((secret) => secret !== undefined && secret.length >= minLength)
    .map((secret) => Buffer.from(secret as string, "utf8").toString("latin1"));
}

/** A secret and its ranges in the raw bytes: several if it arrived in pieces. */
export type Hit = { ranges: ByteRange[]; rule: string };

/** What may be a secret is reported, but not masked. */
export function isSuspicion({ rule }: Hit): boolean {
  return rule === suspicion.name;
}

/** Members whose values are encoded bytes, such as signatures, which clients must return to the provider unchanged. */
const opaqueKeys = new Set([
  "signature",
  "thoughtSignature",
  "data",
  "embedding",
  "encrypted_content",
  "encrypted_index",
  "encrypted_stdout",
  "obfuscation",
]);
const opaqueValue = /^[A-Za-z0-9+/_=-]*$/;

function toHits(findings: Finding[], text: MappedText): Hit[] {
  return findings
    .map(({ start, end, rule }) => ({ ranges: text.rangesOf(start, end), rule }))
    .filter(({ ranges }) => ranges.length > 0);
}

/** Finds secrets in several texts as `scanText` does, in one search. */
export function scanTexts(texts: readonly MappedText[], terms: Terms): Hit[] {
  const all = new MappedText();
  for (const text of texts) {
    all.addMapped(text);
    all.addEscape(separator, 0, 0);
  }
  return scanText(all, terms);
}

/** Finds secrets in a text and in its unescaped form, because a string may itself contain JSON. */
export function scanText(text: MappedText, terms: Terms): Hit[] {
  const plain = text.text;
  const hits = toHits(findSecrets(plain, terms), text);
  if (!plain.includes("\\")) return hits;
  const inner = unescapeAgain(text);
  return [...hits, ...toHits(findSecrets(inner.text, terms), inner)];
}

/** Returns whether a value is encoded bytes, in which a pattern may match a part by chance. */
export function isOpaque(key: string | undefined, value: string): boolean {
  return key !== undefined && opaqueKeys.has(key) && opaqueValue.test(value);
}

/** Finds the known secrets in a text. */
export function scanKnown(text: MappedText, { known }: Terms): Hit[] {
  return toHits(merge([...matchKnown(text.text, known)]), text);
}

/** Finds the known secrets in an opaque value, and patterns that match the whole value. */
export function scanOpaque(text: MappedText, terms: Terms): Hit[] {
  const plain = text.text;
  anyPatternAtStart.lastIndex = 0;
  const found = anyPatternAtStart.test(plain) ? findSecrets(plain, { ...terms, known: [] }) : [];
  const whole = found.filter(({ start, end }) => start === 0 && end === plain.length);
  return [...scanKnown(text, terms), ...toHits(whole, text)];
}
