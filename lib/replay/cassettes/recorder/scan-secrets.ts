import { type ByteRange, type MappedText, unescapeAgain } from "./mapped-text";
import { type Finding, findExact, findSecrets } from "./secret-rules";

/** A secret and the stretches of the raw text that carry it: several where it arrived in pieces. */
export type Hit = { ranges: ByteRange[]; rule: string };

/** Members whose values are ciphertext or signatures, which must come back to the provider unchanged. */
const opaqueKeys = new Set(["signature", "data", "encrypted_content", "encrypted_index", "encrypted_stdout"]);
const opaqueValue = /^[A-Za-z0-9+/_=-]*$/;

function toHits(findings: Finding[], text: MappedText): Hit[] {
  return findings
    .map(({ start, end, rule }) => ({ ranges: text.rangesOf(start, end), rule }))
    .filter(({ ranges }) => ranges.length > 0);
}

/** Secrets in a text, and in what its escapes stand for: a string may hold JSON itself. */
export function scanText(text: MappedText, exact: readonly string[]): Hit[] {
  const plain = text.text;
  const hits = toHits(findSecrets(plain, exact), text);
  if (!plain.includes("\\")) return hits;
  const inner = unescapeAgain(text);
  return [...hits, ...toHits(findSecrets(inner.text, exact), inner)];
}

/** The exact secrets alone. */
export function scanExact(text: MappedText, exact: readonly string[]): Hit[] {
  return toHits(findExact(text.text, exact), text);
}

/** Whether a value is ciphertext or a signature; there a pattern that matches a part of it matches by chance. */
export function isOpaque(key: string | undefined, value: string): boolean {
  return key !== undefined && opaqueKeys.has(key) && opaqueValue.test(value);
}

/** A secret that is the whole of an opaque-looking value is one all the same. */
export function scanOpaque(text: MappedText, exact: readonly string[]): Hit[] {
  const plain = text.text;
  const whole = findSecrets(plain, []).filter(({ start, end }) => start === 0 && end === plain.length);
  return [...scanExact(text, exact), ...toHits(whole, text)];
}
