import type { TimedChunk } from "#lib/replay/providers/index";
import type { Redaction } from "../format";
import { isOpaque, knownSecrets, scanOpaque, scanText } from "./find-secrets";
import { MappedText } from "./mapped-text";
import { redactResponse } from "./redact-response";

type Redacted<Value> = { value: Value; redactions: Redaction[] };

/** Longest `place` of a redaction. */
const maxPlaceLength = 500;

function pointer(parent: string, token: string): string {
  return `${parent}/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`.slice(0, maxPlaceLength);
}

function maskText(text: string, key: string | undefined, known: readonly string[], place: string): Redacted<string> {
  const mapped = new MappedText();
  const opaque = isOpaque(key, text);
  if (!opaque && key !== undefined) mapped.addEscape(`${key}: `, 0, 0);
  mapped.addRun(text, 0);
  const hits = opaque ? scanOpaque(mapped, known) : scanText(mapped, known);
  if (hits.length === 0) return { value: text, redactions: [] };
  /** One byte per character: 1 if it is masked. */
  const isMasked = new Uint8Array(text.length);
  const redactions: Redaction[] = [];
  for (const { ranges, rule } of hits) {
    // A text is searched both raw and unescaped; a secret that is already masked is not counted again.
    if (ranges.every(({ start, end }) => isMasked.subarray(start, end).every((mark) => mark === 1))) continue;
    for (const { start, end } of ranges) isMasked.fill(1, start, end);
    const byteLength = ranges.reduce((sum, { start, end }) => sum + Buffer.byteLength(text.slice(start, end)), 0);
    redactions.push({ place, rule, byte_length: byteLength });
  }
  return { value: redactions.length === 0 ? text : applyMask(text, isMasked), redactions };
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

function redactValue(
  value: unknown,
  key: string | undefined,
  known: readonly string[],
  place: string,
): Redacted<unknown> {
  if (typeof value === "string") return maskText(value, key, known, place);
  if (value === null || typeof value !== "object") return { value, redactions: [] };
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([name, member]) => {
    const masked = isList ? { value: name, redactions: [] } : maskText(name, undefined, known, place);
    const inner = redactValue(member, isList ? key : name, known, pointer(place, masked.value));
    return { name: masked.value, value: inner.value, redactions: [...masked.redactions, ...inner.redactions] };
  });
  return {
    value: isList ? members.map((member) => member.value) : Object.fromEntries(members.map((m) => [m.name, m.value])),
    redactions: members.flatMap(({ redactions }) => redactions),
  };
}

/** Masks secrets in a request body; `place` is a JSON pointer into it. */
function redactRequest(
  body: Record<string, unknown>,
  known: readonly string[],
): { body: Record<string, unknown>; redactions: Redaction[] } {
  const { value, redactions } = redactValue(body, undefined, known, "");
  return { body: value as Record<string, unknown>, redactions };
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

/**
 * Masks secrets in a request and its response: those that match a known pattern, and the given ones, such as the API key
 * that was used, of at least `minLength` characters. Lengths and chunk boundaries stay the same, and each redaction is listed.
 */
export function redact(
  exchange: Exchange,
  secrets: readonly (string | undefined)[],
  minLength?: number,
): Exchange & { redactions: Redaction[] } {
  const known = knownSecrets(secrets, minLength);
  const request = redactRequest(exchange.body, known);
  const headers = redactRequest(exchange.headers, known).body as Record<string, string>;
  const response = redactResponse(exchange.chunks, known);
  const redactions = limitRedactions([...request.redactions, ...response.redactions]);
  return { body: request.body, headers, chunks: response.chunks, redactions };
}
