import type { TimedChunk } from "../integrity";
import type { Redaction } from "../schemas";
import { exactSecrets, isOpaque, scanOpaque, scanText } from "./find-secrets";
import { MappedText } from "./mapped-text";
import { redactResponse } from "./redact-response";

/** Response headers that say something about the response and nothing about who asked. */
const kept = new Set(["content-type", "request-id", "anthropic-version", "retry-after"]);
const keptPrefix = "anthropic-ratelimit-";
/** Longest header that a cassette holds. */
const maxValueLength = 2000;

/** The headers that a cassette keeps: never organisation ids, cookies or an edge's own. */
export function keptHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(
    pairs
      .filter(([name]) => kept.has(name) || (name.startsWith(keptPrefix) && /^[a-z0-9-]+$/.test(name)))
      .map(([name, value]) => [name, value.slice(0, maxValueLength)]),
  );
}

type Redacted<Value> = { value: Value; redactions: Redaction[] };

/** Longest place that a cassette can note. */
const maxPlaceLength = 500;

function pointer(parent: string, token: string): string {
  return `${parent}/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`.slice(0, maxPlaceLength);
}

function coverText(text: string, key: string | undefined, exact: readonly string[], place: string): Redacted<string> {
  const mapped = new MappedText();
  const opaque = isOpaque(key, text);
  if (!opaque && key !== undefined) mapped.addEscape(`${key}: `, 0, 0);
  mapped.addRun(text, 0);
  const covered = new Uint8Array(text.length);
  const redactions: Redaction[] = [];
  for (const { ranges, rule } of opaque ? scanOpaque(mapped, exact) : scanText(mapped, exact)) {
    // A text is searched as it is and with its escapes undone; what the first search covered counts once.
    if (ranges.every(({ start, end }) => covered.subarray(start, end).every((mark) => mark === 1))) continue;
    for (const { start, end } of ranges) covered.fill(1, start, end);
    const byteLength = ranges.reduce((sum, { start, end }) => sum + Buffer.byteLength(text.slice(start, end)), 0);
    redactions.push({ place, rule, byte_length: byteLength });
  }
  return { value: redactions.length === 0 ? text : maskMarked(text, covered), redactions };
}

function maskMarked(text: string, covered: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    const mark = covered[start];
    const change = covered.indexOf(1 - (mark ?? 0), start);
    end = change < 0 ? text.length : change;
    parts.push(mark === 1 ? "*".repeat(end - start) : text.slice(start, end));
  }
  return parts.join("");
}

function redactValue(
  value: unknown,
  key: string | undefined,
  exact: readonly string[],
  place: string,
): Redacted<unknown> {
  if (typeof value === "string") return coverText(value, key, exact, place);
  if (value === null || typeof value !== "object") return { value, redactions: [] };
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([name, member]) => {
    const covered = isList ? { value: name, redactions: [] } : coverText(name, undefined, exact, place);
    const inner = redactValue(member, isList ? key : name, exact, pointer(place, covered.value));
    return { name: covered.value, value: inner.value, redactions: [...covered.redactions, ...inner.redactions] };
  });
  return {
    value: isList ? members.map((member) => member.value) : Object.fromEntries(members.map((m) => [m.name, m.value])),
    redactions: members.flatMap(({ redactions }) => redactions),
  };
}

/** Covers secrets in a request's body; places are JSON pointers into it. */
export function redactRequest(
  body: Record<string, unknown>,
  exact: readonly string[],
): { body: Record<string, unknown>; redactions: Redaction[] } {
  const { value, redactions } = redactValue(body, undefined, exact, "");
  return { body: value as Record<string, unknown>, redactions };
}

/** Most redactions that a cassette notes one by one. */
const maxNoteCount = 10_000;

export type Exchange = { body: Record<string, unknown>; headers: Record<string, string>; chunks: TimedChunk[] };

function boundNotes(notes: Redaction[]): Redaction[] {
  if (notes.length <= maxNoteCount) return notes;
  const rest = notes.slice(maxNoteCount - 1);
  const byteLength = rest.reduce((sum, { byte_length }) => sum + byte_length, 0);
  return [...notes.slice(0, maxNoteCount - 1), { place: "response", rule: "further", byte_length: byteLength }];
}

/**
 * Removes secrets from a request and its response: those known by their shape, and the ones given, such as the key
 * that was used. Lengths and chunk borders stay; each replacement is noted.
 */
export function redact(
  exchange: Exchange,
  secrets: readonly (string | undefined)[],
): Exchange & { redactions: Redaction[] } {
  const exact = exactSecrets(secrets);
  const request = redactRequest(exchange.body, exact);
  const headers = redactRequest(exchange.headers, exact).body as Record<string, string>;
  const response = redactResponse(exchange.chunks, exact);
  const redactions = boundNotes([...request.redactions, ...response.redactions]);
  return { body: request.body, headers, chunks: response.chunks, redactions };
}
