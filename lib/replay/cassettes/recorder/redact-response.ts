import { providers, type TimedChunk } from "#lib/replay/providers/index";
import { type Line, splitLines } from "../event-boundaries";
import type { Redaction } from "../format";
import { type Hit, isOpaque, isSuspicion, scanKnown, scanOpaque, scanTexts, type Terms } from "./find-secrets";
import { MappedText, unescapeJson } from "./mapped-text";

/** A string in JSON text: the range of its content without quotes, and the key of the member that it is a value of. */
export type JsonString = { start: number; end: number; key: string | undefined; isKey: boolean };

const maxKeyLength = 200;

/**
 * Yields the strings of a JSON text in order. The text may be truncated: a string without its closing quote extends to
 * the end.
 */
export function* jsonStrings(text: string): Generator<JsonString> {
  let key: string | undefined;
  let position = text.indexOf('"');
  while (position >= 0) {
    const start = position + 1;
    const end = endOfString(text, start);
    const isKey = /^\s{0,20}:/.test(text.slice(end + 1, end + 22));
    yield { start, end, key: isKey ? undefined : key, isKey };
    // Strings in an array get the key of the array's member.
    if (isKey) key = text.slice(start, Math.min(end, start + maxKeyLength));
    position = text.indexOf('"', end + 1);
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end > 0 && isEscaped(text, end, start)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Returns whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, position: number, start: number): boolean {
  let first = position;
  while (first > start && text[first - 1] === "\\") first -= 1;
  return (position - first) % 2 === 1;
}

/** A part of a response body: the JSON of an event or of a whole body, or other text. `start` is its byte offset. */
export type Piece = { isJson: boolean; start: number; text: string };

const jsonStart = /^\s{0,8}[[{"]/;

/**
 * Splits an event stream, one character per byte, into the data of its events and everything else. Data of several lines
 * keeps the bytes between the lines, so that offsets stay those of the body.
 */
function splitEventStream(text: string, lines: readonly Line[]): Piece[] {
  const pieces: (Piece & { isData: boolean })[] = [];
  let current: (typeof pieces)[number] | undefined;
  for (const line of lines) {
    if (line.end === line.start) {
      current = undefined;
      continue;
    }
    const isData = text.startsWith("data:", line.start);
    if (current?.isData === isData) {
      current.text = text.slice(current.start, line.end);
      continue;
    }
    const start = line.start + (isData ? (text[line.start + 5] === " " ? 6 : 5) : 0);
    current = { isData, isJson: false, start, text: text.slice(start, line.end) };
    pieces.push(current);
  }
  return pieces.map(({ isData, start, text }) => ({ isJson: isData && jsonStart.test(text), start, text }));
}

/** Splits a body by what it contains, because its content type may be wrong: events, lines of JSON, or JSON. Empty for any other. */
export function splitPieces(body: Buffer): Piece[] {
  const text = body.toString("latin1");
  const lines = [...splitLines(body)].map((line) => ({ ...line, isBlank: line.end === line.start }));
  if (lines.some(({ start }) => text.startsWith("data:", start))) return splitEventStream(text, lines);
  const filled = lines.filter(({ isBlank }) => !isBlank);
  if (filled.length > 1 && filled.every(({ start }) => text[start] === "{")) {
    return filled.map(({ start, end }) => ({ isJson: true, start, text: text.slice(start, end) }));
  }
  return jsonStart.test(text) ? [{ isJson: true, start: 0, text }] : [];
}

/** Fewest printable characters in a row that a secret of a known pattern has. */
const minWordLength = 8;
const [tab, newline, carriageReturn, space, tilde] = [9, 10, 13, 32, 126] as const;

function isControl(byte: number): boolean {
  return byte < space && byte !== tab && byte !== newline && byte !== carriageReturn;
}

/** Returns the parts of bytes between control characters that have a word: all that a pattern of a secret can match. */
function findTexts(body: Buffer): Piece[] {
  const pieces: Piece[] = [];
  let [start, length, hasWord] = [0, 0, false];
  for (let index = 0; index <= body.length; index += 1) {
    const byte = body[index] ?? 0;
    if (isControl(byte)) {
      if (hasWord) pieces.push({ isJson: false, start, text: body.toString("latin1", start, index) });
      [start, length, hasWord] = [index + 1, 0, false];
    } else {
      length = byte <= tilde ? length + 1 : 0;
      hasWord ||= length === minWordLength;
    }
  }
  return pieces;
}

/** Matches no secret's pattern, and is harmless in JSON, markdown and plain text. */
const mask = "*".charCodeAt(0);

/** Members whose strings may continue in the next event, whatever the provider. */
export const textFields = new Set(providers.flatMap((provider) => provider.textFields));

/** The texts that continue from event to event, joined. */
class JoinedTexts extends Map<string, MappedText> {
  add(name: string, text: MappedText): void {
    const joined = this.get(name) ?? new MappedText();
    joined.addMapped(text);
    this.set(name, joined);
  }
}

/** Returns the numbers of the block, item, choice or call that an event is about. */
export function placeOf({ text }: Piece): string {
  return [...text.matchAll(/"(?:index|output_index|content_index)"\s{0,8}:\s{0,8}(\d{1,9})/g)]
    .map(([, index]) => index)
    .join(".");
}

/** Returns a string unescaped; `named` adds its key in front, for patterns that depend on the key. */
export function read(
  { start: offset, text }: Piece,
  { start, end, key, isKey }: JsonString,
  named = false,
): MappedText {
  const mapped = new MappedText();
  if (named && !isKey && key !== undefined) mapped.addEscape(`${key}: `, offset + start, 0);
  mapped.addMapped(unescapeJson(text.slice(start, end), offset + start));
  return mapped;
}

/** Texts of a body by how they are searched. */
type Found = { joined: JoinedTexts; texts: MappedText[]; opaque: MappedText[] };

function readJson(piece: Piece, { joined, texts, opaque }: Found): void {
  const place = placeOf(piece);
  for (const string of jsonStrings(piece.text)) {
    const { key, start, end } = string;
    if (key !== undefined && textFields.has(key)) {
      const text = read(piece, string);
      // All texts of a key come first, so that a secret in two blocks is listed once.
      joined.add(key, text);
      joined.add(`${key} of ${place}`, text);
    }
    if (isOpaque(key, piece.text.slice(start, end))) opaque.push(read(piece, string));
    else texts.push(read(piece, string, true));
  }
}

function wholeText(body: Buffer): MappedText {
  const text = new MappedText();
  text.addRun(body.toString("latin1"), 0);
  return text;
}

/** Part of a body in which binary data has a zero, in bytes. */
const headLength = 4_096;

/** Returns the secrets in a body: first those in joined texts, which may include pieces that are found again. */
function findInBody(body: Buffer, terms: Terms): Hit[] {
  const found: Found = { joined: new JoinedTexts(), texts: [], opaque: [] };
  // JSON has no zeros; only the start is searched, as an event stream may have a stray one.
  const structured = body.subarray(0, headLength).includes(0) ? [] : splitPieces(body);
  const isOther = structured.length === 0;
  for (const piece of isOther ? findTexts(body) : structured) {
    if (piece.isJson) readJson(piece, found);
    else found.texts.push(unescapeJson(piece.text, piece.start));
  }
  const { joined, texts, opaque } = found;
  const known = isOther ? scanKnown(wholeText(body), terms) : [];
  return [
    ...known,
    ...scanTexts([...joined.values(), ...texts], terms),
    ...opaque.flatMap((text) => scanOpaque(text, terms)),
  ];
}

/** Masks the bytes of a hit and returns how many; 0 if an overlapping text already masked them. */
function maskHit(body: Buffer, hit: Hit): number {
  if (isHitMasked(body, hit)) return 0;
  for (const { start, end } of hit.ranges) body.fill(mask, start, end);
  return lengthOf(hit);
}

function lengthOf({ ranges }: Hit): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

function isHitMasked(body: Buffer, { ranges }: Hit): boolean {
  return ranges.every(({ start, end }) => body.subarray(start, end).every((byte) => byte === mask));
}

function splitLike(body: Buffer, chunks: readonly TimedChunk[]): TimedChunk[] {
  let from = 0;
  return chunks.map(({ deltaMs, bytes }) => {
    from += bytes.length;
    return { deltaMs, bytes: body.subarray(from - bytes.length, from) };
  });
}

/**
 * Masks secrets in a response body byte for byte, so that chunks keep their boundaries and times. Texts that
 * continue from event to event are joined before they are scanned, because a secret may span several events and chunks.
 */
export function redactResponse(
  chunks: readonly TimedChunk[],
  terms: Terms,
): { chunks: TimedChunk[]; redactions: Redaction[]; suspicions: Redaction[] } {
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const hits = findInBody(body, terms);
  const toRedaction = ({ ranges, rule }: Hit, byteLength: number): Redaction => ({
    place: `response:${ranges[0]?.start ?? 0}`,
    rule,
    byte_length: byteLength,
  });
  const redactions: Redaction[] = [];
  for (const hit of hits) {
    const byteLength = isSuspicion(hit) ? 0 : maskHit(body, hit);
    if (byteLength > 0) redactions.push(toRedaction(hit, byteLength));
  }
  const left = hits.filter((hit) => isSuspicion(hit) && !isHitMasked(body, hit));
  const suspicions = left.map((hit) => toRedaction(hit, lengthOf(hit)));
  // A text is found in its event, and where it is joined with others.
  const places = new Map(suspicions.map((suspicion) => [suspicion.place, suspicion]));
  return { chunks: splitLike(body, chunks), redactions, suspicions: [...places.values()] };
}
