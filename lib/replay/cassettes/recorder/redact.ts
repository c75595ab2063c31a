import type { TimedChunk } from "#lib/replay/providers/index";
import type { Redaction } from "../format";
import { cleanTextsOf } from "./clean-texts";
import { isCredential, maskParameters, type Place, placeOfMember, requestPlace } from "./definition-secrets";
import { isOpaque, isSuspicion, knownSecrets, scanOpaque, scanText, type Terms } from "./find-secrets";
import { MappedText } from "./mapped-text";
import { redactResponse } from "./redact-response";

/** What was masked so far. `suspicions` are texts that may be secrets, and are still there. */
type Found = { redactions: Redaction[]; suspicions: Redaction[] };
type Search = { terms: Terms; clean: ReturnType<typeof cleanTextsOf>; found: Found };

const maxPlaceLength = 500;

function pointer(parent: string, token: string): string {
  return `${parent}/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`.slice(0, maxPlaceLength);
}

function maskText(text: string, key: string | undefined, place: string, { terms, clean, found }: Search): string {
  const opaque = isOpaque(key, text);
  const before = opaque || key === undefined ? "" : `${key}: `;
  // Where the text begins, and that it is searched as one, count as much as what is searched.
  const searched = `${opaque ? "opaque" : before.length} ${before}${text}`;
  if (clean.get(searched)) return text;
  const mapped = new MappedText();
  mapped.addEscape(before, 0, 0);
  mapped.addRun(text, 0);
  const hits = opaque ? scanOpaque(mapped, terms) : scanText(mapped, terms);
  if (hits.length === 0) {
    clean.set(searched, true);
    return text;
  }
  /** One byte per character: 1 if it is masked. */
  const isMasked = new Uint8Array(text.length);
  for (const hit of [...hits].sort((a, b) => Number(isSuspicion(a)) - Number(isSuspicion(b)))) {
    const { ranges, rule } = hit;
    // A text is searched both raw and unescaped; a secret that is already masked is not counted again.
    if (ranges.every(({ start, end }) => isMasked.subarray(start, end).every((mark) => mark === 1))) continue;
    if (!isSuspicion(hit)) for (const { start, end } of ranges) isMasked.fill(1, start, end);
    const byteLength = ranges.reduce((sum, { start, end }) => sum + Buffer.byteLength(text.slice(start, end)), 0);
    found[isSuspicion(hit) ? "suspicions" : "redactions"].push({ place, rule, byte_length: byteLength });
  }
  return isMasked.includes(1) ? applyMask(text, isMasked) : text;
}

function applyMask(text: string, isMasked: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    const mark = isMasked[start];
    const change = isMasked.indexOf(1 - (mark ?? 0), start);
    end = change < 0 ? text.length : change;
    parts.push(mark === 1 ? "*".repeat(end - start) : text.slice(start, end));
  }
  return parts.join("");
}

/** Stands for a credential of a tool or server: its length says nothing, so that any other one matches it. */
const credentialMask = "*".repeat(8);

type Siblings = Readonly<Record<string, unknown>>;

/** Masks credentials in the definition of a tool or server by their place. */
function maskCredentials(text: string, at: Place, siblings: Siblings, place: string, { found }: Search): string {
  const add = (byte_length: number) => found.redactions.push({ place, rule: "credential", byte_length });
  if (isCredential(at, siblings) && text !== "") {
    if (text !== credentialMask) add(Buffer.byteLength(text));
    return credentialMask;
  }
  const masked = maskParameters(text, credentialMask);
  if (masked.text !== text) masked.lengths.forEach(add);
  return masked.text;
}

function redactValue(value: unknown, at: Place, siblings: Siblings, place: string, search: Search): unknown {
  if (typeof value === "string") {
    const text = at.isDefinition ? maskCredentials(value, at, siblings, place, search) : value;
    return maskText(text, at.key, place, search);
  }
  if (Array.isArray(value))
    return value.map((item, index) => redactValue(item, at, {}, pointer(place, `${index}`), search));
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).map(([name, member]) => {
    const masked = maskText(name, undefined, place, search);
    const inside = placeOfMember(at, name);
    return [masked, redactValue(member, inside, value as Siblings, pointer(place, masked), search)] as const;
  });
  return Object.fromEntries(members);
}

/** Most redactions listed individually in a cassette. */
const maxRedactionCount = 10_000;

type Exchange = { body: Record<string, unknown>; headers: Record<string, string>; chunks: TimedChunk[] };

function limitRedactions(redactions: Redaction[]): Redaction[] {
  if (redactions.length <= maxRedactionCount) return redactions;
  const rest = redactions.slice(maxRedactionCount - 1);
  const byteLength = rest.reduce((sum, { byte_length }) => sum + byte_length, 0);
  return [
    ...redactions.slice(0, maxRedactionCount - 1),
    { place: "response", rule: "further", byte_length: byteLength },
  ];
}

export type RedactOptions = {
  /** Shortest known secret, in characters. */
  minLength?: number;
  /** Texts that are no secrets, and whatever contains one. */
  allowed?: readonly string[];
  /** Whether the chunks are an answer, which is the default, or the bytes of a request. */
  isAnswer?: boolean;
};

/**
 * Masks secrets in a request and its response: those that match a known pattern, credentials in the definitions of tools,
 * and the given ones, such as the API key that was used. Lengths and chunk boundaries of the response stay the same, and
 * each redaction is listed; `suspicions` lists what may be a secret and was not masked.
 */
export function redact(
  exchange: Exchange,
  secrets: readonly (string | undefined)[],
  { minLength, allowed = [], isAnswer = true }: RedactOptions = {},
): Exchange & { redactions: Redaction[]; suspicions: Redaction[] } {
  const terms = { known: knownSecrets(secrets, minLength), allowed: knownSecrets(allowed, 1) };
  const found: Found = { redactions: [], suspicions: [] };
  const search = { terms, clean: cleanTextsOf(terms) };
  const body = redactValue(exchange.body, requestPlace, {}, "", { ...search, found }) as Exchange["body"];
  const unlisted = { ...search, found: { redactions: [], suspicions: [] } };
  const headers = redactValue(exchange.headers, requestPlace, {}, "", unlisted) as Exchange["headers"];
  const response = redactResponse(exchange.chunks, { ...terms, isAnswer });
  return {
    body,
    headers,
    chunks: response.chunks,
    redactions: limitRedactions([...found.redactions, ...response.redactions]),
    suspicions: [...found.suspicions, ...response.suspicions],
  };
}
