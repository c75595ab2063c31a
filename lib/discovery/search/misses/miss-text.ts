import { tokenize } from "../terms";

/** Longest stored query, in characters. */
export const maxMissLength = 64;

/** Longer queries are no searches of a person; they are not looked at. */
const maxQueryLength = 1_000;

/** What may identify someone or give access: e-mail and IP addresses, URLs, credentials, long numbers, and keys or ids. */
const privatePatterns = [
  /@|:\/\//,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/,
  /(?:key|token|secret|passwor[dt]|passwd|pwd)\s*[:=]/i,
  /(?:\d[\s().+/-]*){7}/,
  /\S{32}/,
  /\b(?:sk|pk|rk|ltf|whsec|gh[pousr]|npm|hf|xox[a-z]|glpat|AKIA|eyJ)[-_]?[A-Za-z0-9]{8}/,
];

/** Whether a run of letters and digits is long and mixed, as keys and ids are. */
function looksRandom(run: string): boolean {
  return run.length >= 12 && /\d/.test(run) && /[a-z]/i.test(run);
}

/**
 * Returns a query as it is counted: its lower-case words, cut to 64 characters. Undefined if there is nothing to count, or if
 * it looks like a key, an id, an address or a phone or card number.
 */
export function missText(q: string): string | undefined {
  if (q.length > maxQueryLength || privatePatterns.some((pattern) => pattern.test(q))) return undefined;
  if (q.split(/[^A-Za-z0-9_-]+/).some(looksRandom)) return undefined;
  const words =
    q
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const text = words.join(" ");
  const isSearchable = tokenize(text).length > 0 || /[^\p{ASCII}]/u.test(text);
  return isSearchable ? [...text].slice(0, maxMissLength).join("").trim() : undefined;
}
