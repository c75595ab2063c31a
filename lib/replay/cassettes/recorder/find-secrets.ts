import { type ByteRange, MappedText, unescapeAgain } from "./mapped-text";

/** The range of a secret in a text; `end` is exclusive. */
export type Finding = { start: number; end: number; rule: string };

type Rule = {
  name: string;
  /**
   * A global pattern over ASCII. If it has a group, the group is the secret. A search takes linear time: each repetition is
   * bounded, and a text can be divided among them in one way only.
   */
  pattern: RegExp;
  /** Returns false for what only looks like a secret, such as a placeholder in documentation. */
  accepts?: (secret: string) => boolean;
};

/** Real tokens are random: one of this length without a digit is a word or a name. */
const hasDigit = (secret: string): boolean => /[0-9]/.test(secret);
const isNotPlaceholder = (secret: string): boolean =>
  !/^(?:pass(?:word|wd)?|pwd|pw|secret|token|key|user(?:name)?|postgres|root|admin|guest|test|example|foo|bar|x+|your[-_].*|\$[a-z_]+|%[sd])$/i.test(
    secret,
  );

/** Secrets that are recognized by their pattern. Of overlapping matches, the earlier or longer one wins. */
const rules: readonly Rule[] = [
  { name: "anthropic-key", pattern: /sk-ant-[A-Za-z0-9_-]{20,500}/g, accepts: hasDigit },
  { name: "openai-key", pattern: /sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,500}/g, accepts: hasDigit },
  { name: "openai-key", pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9]{32,200}/g, accepts: hasDigit },
  { name: "aws-access-key", pattern: /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}/g },
  {
    name: "aws-secret-key",
    pattern: /(?:secret_?access_?key|session_?token)["']?\s{0,8}[:=]\s{0,8}["']?([A-Za-z0-9/+]{40,2000}={0,2})/gi,
    accepts: hasDigit,
  },
  { name: "github-token", pattern: /gh[pousr]_[A-Za-z0-9]{36,255}/g },
  { name: "github-token", pattern: /github_pat_[A-Za-z0-9_]{22,255}/g, accepts: hasDigit },
  { name: "gitlab-token", pattern: /glpat-[A-Za-z0-9_-]{20,255}/g, accepts: hasDigit },
  { name: "slack-token", pattern: /xox[abeoprs]-[A-Za-z0-9-]{10,255}/g, accepts: hasDigit },
  { name: "slack-token", pattern: /xapp-[0-9]-[A-Za-z0-9-]{10,255}/g },
  { name: "slack-webhook", pattern: /hooks\.slack\.com\/(?:services|workflows)\/([A-Za-z0-9/]{20,200})/g },
  { name: "google-key", pattern: /AIza[A-Za-z0-9_-]{35}/g },
  { name: "google-token", pattern: /GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{20,2000}/g },
  { name: "stripe-key", pattern: /[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}/g, accepts: hasDigit },
  { name: "webhook-secret", pattern: /whsec_[A-Za-z0-9+/]{16,255}={0,2}/g, accepts: hasDigit },
  { name: "tapedeck-key", pattern: /ltf_[A-Za-z0-9]{38}/g, accepts: hasDigit },
  { name: "npm-token", pattern: /npm_[A-Za-z0-9]{36}/g, accepts: hasDigit },
  { name: "huggingface-token", pattern: /hf_[A-Za-z0-9]{34,100}/g, accepts: hasDigit },
  {
    name: "jwt",
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,20000}(?:\.[A-Za-z0-9_-]{1,8000}){1,3}/g,
  },
  { name: "bearer-token", pattern: /\bbearer {1,4}([A-Za-z0-9._~+/-]{20,4000}={0,2})/gi, accepts: hasDigit },
  {
    name: "basic-credentials",
    pattern: /authorization["']?\s{0,8}[:=]\s{0,8}["']?basic {1,4}([A-Za-z0-9+/]{8,2000}={0,2})/gi,
  },
  {
    name: "url-credentials",
    pattern: /(?<=[A-Za-z0-9]:)\/\/[\w.~%!$&()+,;=-]{0,100}:([\w.~%!$&()*+,;=:-]{1,200})@(?=[A-Za-z0-9[])/g,
    accepts: isNotPlaceholder,
  },
];

const masked = /^\*+$/;

function* matchRule({ name, pattern, accepts }: Rule, text: string): Generator<Finding> {
  for (const match of text.matchAll(pattern)) {
    const secret = match[1] ?? match[0];
    if (masked.test(secret) || accepts?.(secret) === false) continue;
    // A secret is the last part of a match, apart from the `@` after a password in a URL.
    const start = match.index + match[0].lastIndexOf(secret);
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
const anyPattern = new RegExp([...rules.map(({ pattern }) => pattern.source), keyBegin.source].join("|"), "i");

/** Returns all secrets in a text in order: the known ones, and those that match a pattern. */
function findSecrets(text: string, known: readonly string[]): Finding[] {
  if (text.length <= maxShortLength && !anyPattern.test(text)) return merge([...matchKnown(text, known)]);
  const found = rules.map((rule) => [...matchRule(rule, text)]);
  return merge([...matchKnown(text, known), ...matchPrivateKeys(text), ...found.flat()]);
}

/** Returns the known secrets in the encoding of the scanned texts: one character per UTF-8 byte. */
export function knownSecrets(secrets: readonly (string | undefined)[], minLength = minKnownLength): string[] {
  return secrets
    .filter((secret) => secret !== undefined && secret.length >= minLength)
    .map((secret) => Buffer.from(secret as string, "utf8").toString("latin1"));
}

/** A secret and its ranges in the raw bytes: several if it arrived in pieces. */
export type Hit = { ranges: ByteRange[]; rule: string };

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
export function scanTexts(texts: readonly MappedText[], known: readonly string[]): Hit[] {
  const all = new MappedText();
  for (const text of texts) {
    all.addMapped(text);
    all.addEscape(separator, 0, 0);
  }
  return scanText(all, known);
}

/** Finds secrets in a text and in its unescaped form, because a string may itself contain JSON. */
export function scanText(text: MappedText, known: readonly string[]): Hit[] {
  const plain = text.text;
  const hits = toHits(findSecrets(plain, known), text);
  if (!plain.includes("\\")) return hits;
  const inner = unescapeAgain(text);
  return [...hits, ...toHits(findSecrets(inner.text, known), inner)];
}

/** Finds only the known secrets. */
function scanKnown(text: MappedText, known: readonly string[]): Hit[] {
  return toHits(merge([...matchKnown(text.text, known)]), text);
}

/** Returns whether a value is encoded bytes, in which a pattern may match a part by chance. */
export function isOpaque(key: string | undefined, value: string): boolean {
  return key !== undefined && opaqueKeys.has(key) && opaqueValue.test(value);
}

/** Finds the known secrets in an opaque value, and patterns that match the whole value. */
export function scanOpaque(text: MappedText, known: readonly string[]): Hit[] {
  const plain = text.text;
  const whole = findSecrets(plain, []).filter(({ start, end }) => start === 0 && end === plain.length);
  return [...scanKnown(text, known), ...toHits(whole, text)];
}
