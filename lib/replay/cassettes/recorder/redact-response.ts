import { splitLines } from "../event-boundaries";
import type { TimedChunk } from "../integrity";
import type { Redaction } from "../schemas";
import { type Hit, isOpaque, scanExact, scanOpaque, scanText } from "./find-secrets";
import { MappedText, unescapeJson } from "./mapped-text";

/** A string in a JSON text: the place of its content, without the quotes, and the member that it is the value of. */
export type JsonString = { start: number; end: number; key: string | undefined; isKey: boolean };

/** Longest name of a member that is told. */
const maxKeyLength = 200;

/**
 * The strings of a JSON text, by order. It does not mind JSON that was cut off: a string without its last quote
 * reaches to the end.
 */
export function* jsonStrings(text: string): Generator<JsonString> {
  let key: string | undefined;
  let position = text.indexOf('"');
  while (position >= 0) {
    const start = position + 1;
    const end = endOfString(text, start);
    const isKey = /^\s{0,20}:/.test(text.slice(end + 1, end + 22));
    yield { start, end, key: isKey ? undefined : key, isKey };
    // In a list, each string belongs to the list's member.
    if (isKey) key = text.slice(start, Math.min(end, start + maxKeyLength));
    position = text.indexOf('"', end + 1);
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end > 0 && isEscaped(text, end, start)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, position: number, start: number): boolean {
  let first = position;
  while (first > start && text[first - 1] === "\\") first -= 1;
  return (position - first) % 2 === 1;
}

/** A part of a response body: the data of one event, or lines without data. `start` is its byte offset. */
type SsePiece = { isData: boolean; start: number; text: string };

/**
 * Splits a body, one character per byte, into the data of its events and everything else. Data of several lines keeps
 * the bytes between the lines, so that offsets stay those of the body. A body without any data is one piece.
 */
function splitPieces(body: Buffer): SsePiece[] {
  const text = body.toString("latin1");
  const pieces: SsePiece[] = [];
  let current: SsePiece | undefined;
  for (const line of splitLines(body)) {
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
    current = { isData, start, text: text.slice(start, line.end) };
    pieces.push(current);
  }
  return pieces.some(({ isData }) => isData) ? pieces : [{ isData: false, start: 0, text }];
}

/** Not part of any secret's pattern, and harmless in JSON, markdown and plain text. */
const mask = "*".charCodeAt(0);

/** Members of a delta that go on where the delta before it stopped. */
const joinedKeys = new Set(["text", "thinking", "partial_json"]);
/** A secret that goes on over a citation spans two text blocks. */
const allText = "text of all blocks";

/** The texts of content blocks, put together from their deltas. */
class JoinedTexts extends Map<string, MappedText> {
  add(name: string, text: MappedText): void {
    const joined = this.get(name) ?? new MappedText();
    joined.addMapped(text);
    this.set(name, joined);
  }
}

/** What decides how an event's strings are read: the `type` of the event and of what it holds, and its block. */
type EventKind = { types: string[]; block: string };

function kindOf({ text }: SsePiece, strings: readonly JsonString[]): EventKind {
  const types = strings.filter(({ key }) => key === "type").map(({ start, end }) => text.slice(start, end));
  return { types, block: /"index"\s{0,8}:\s{0,8}(\d{1,9})/.exec(text)?.[1] ?? "" };
}

/** Whether it is a delta's text, or the text that a block starts with: both go on in the next delta. */
function goesOn({ types: [event, inner] }: EventKind, key: string | undefined): key is string {
  if (key === undefined || !joinedKeys.has(key)) return false;
  return event === "content_block_delta" || (event === "content_block_start" && inner === key);
}

/** Undoes a string's escapes. With its name in front, patterns that need to know what a value is can match. */
function read({ start: offset, text }: SsePiece, { start, end, key, isKey }: JsonString, named = false): MappedText {
  const mapped = new MappedText();
  if (named && !isKey && key !== undefined) mapped.addEscape(`${key}: `, offset + start, 0);
  mapped.addMapped(unescapeJson(text.slice(start, end), offset + start));
  return mapped;
}

function findInData(piece: SsePiece, exact: readonly string[], joined: JoinedTexts): Hit[] {
  const strings = [...jsonStrings(piece.text)];
  const kind = kindOf(piece, strings);
  return strings.flatMap((string) => {
    const { key, start, end } = string;
    if (kind.types.includes("signature_delta")) return scanExact(read(piece, string), exact);
    if (goesOn(kind, key)) {
      // The wider text first, so that a secret over two blocks is noted once.
      if (key === "text") joined.add(allText, read(piece, string));
      joined.add(`${key} of block ${kind.block}`, read(piece, string));
      return [];
    }
    if (isOpaque(key, piece.text.slice(start, end))) return scanOpaque(read(piece, string), exact);
    return scanText(read(piece, string, true), exact);
  });
}

function findInBody(body: Buffer, exact: readonly string[]): Hit[] {
  const joined = new JoinedTexts();
  const hits: Hit[] = [];
  for (const piece of splitPieces(body)) {
    const isJson = piece.isData && /^\s{0,8}[[{"]/.test(piece.text);
    if (isJson) hits.push(...findInData(piece, exact, joined));
    else hits.push(...scanText(unescapeJson(piece.text, piece.start), exact));
  }
  for (const text of joined.values()) hits.push(...scanText(text, exact));
  return hits;
}

/** Covers a hit's bytes; 0 where they are covered already, since texts overlap. */
function cover(body: Buffer, { ranges }: Hit): number {
  if (ranges.every(({ start, end }) => body.subarray(start, end).every((byte) => byte === mask))) return 0;
  for (const { start, end } of ranges) body.fill(mask, start, end);
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

function cutLike(body: Buffer, chunks: readonly TimedChunk[]): TimedChunk[] {
  let from = 0;
  return chunks.map(({ deltaMs, bytes }) => {
    from += bytes.length;
    return { deltaMs, bytes: body.subarray(from - bytes.length, from) };
  });
}

/**
 * Covers secrets in a recorded body, byte for byte: chunks keep their borders, lengths and times. Deltas are joined
 * per content block first, since a secret may span several of them and several chunks.
 */
export function redactResponse(
  chunks: readonly TimedChunk[],
  exact: readonly string[],
): { chunks: TimedChunk[]; redactions: Redaction[] } {
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const redactions: Redaction[] = [];
  for (const hit of findInBody(body, exact)) {
    const byteLength = cover(body, hit);
    const place = `response:${hit.ranges[0]?.start ?? 0}`;
    if (byteLength > 0) redactions.push({ place, rule: hit.rule, byte_length: byteLength });
  }
  return { chunks: cutLike(body, chunks), redactions };
}
