import type { Redaction } from "../schemas";
import { MappedText } from "./mapped-text";
import { isOpaque, scanOpaque, scanText } from "./scan-secrets";

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
