import type { TimedChunk } from "#lib/replay/providers/index";
import { splitLines } from "../event-boundaries";
import type { Redaction } from "../format";
import { type Hit, isOpaque, scanExact, scanOpaque, scanText } from "./find-secrets";
import { MappedText, unescapeJson } from "./mapped-text";

/** A string in JSON text: the range of its content without quotes, and the key of the member that it is a value of. */
type JsonString = { start: number; end: number; key: string | undefined; isKey: boolean };

/** Longest key that is returned. */
const maxKeyLength = 200;

/**
 * Yields the strings of a JSON text in order. The text may be truncated: a string without its closing quote extends to
 * the end.
 */
function* jsonStrings(text: string): Generator<JsonString> {
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

/** Matches no secret's pattern, and is harmless in JSON, markdown and plain text. */
const mask = "*".charCodeAt(0);

/** Members of a delta that continue those of the previous delta. */
const joinedKeys = new Set(["text", "thinking", "partial_json"]);
/** Name of the joined text of all blocks: a secret may continue in the next text block after a citation. */
const allText = "text of all blocks";

/** The texts of content blocks, joined from their deltas. */
class JoinedTexts extends Map<string, MappedText> {
  add(name: string, text: MappedText): void {
    const joined = this.get(name) ?? new MappedText();
    joined.addMapped(text);
    this.set(name, joined);
  }
}

/** What determines how an event's strings are scanned: the `type`s of the event and its content, and its block. */
type EventKind = { types: string[]; block: string };

function kindOf({ text }: SsePiece, strings: readonly JsonString[]): EventKind {
  const types = strings.filter(({ key }) => key === "type").map(({ start, end }) => text.slice(start, end));
  return { types, block: /"index"\s{0,8}:\s{0,8}(\d{1,9})/.exec(text)?.[1] ?? "" };
}

/** Returns whether a string continues in the next delta: the text of a delta, or the initial text of a block. */
function isContinued({ types: [event, inner] }: EventKind, key: string | undefined): key is string {
  if (key === undefined || !joinedKeys.has(key)) return false;
  return event === "content_block_delta" || (event === "content_block_start" && inner === key);
}

/** Returns a string unescaped; `named` adds its key in front, for patterns that depend on the key. */
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
    if (isContinued(kind, key)) {
      // The joined text comes first, so that a secret in two blocks is listed once.
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
  const hits = splitPieces(body).map((piece) => {
    const isJson = piece.isData && /^\s{0,8}[[{"]/.test(piece.text);
    return isJson ? findInData(piece, exact, joined) : scanText(unescapeJson(piece.text, piece.start), exact);
  });
  return [...hits, ...[...joined.values()].map((text) => scanText(text, exact))].flat();
}

/** Masks the bytes of a hit and returns how many; 0 if an overlapping text already masked them. */
function maskHit(body: Buffer, { ranges }: Hit): number {
  if (ranges.every(({ start, end }) => body.subarray(start, end).every((byte) => byte === mask))) return 0;
  for (const { start, end } of ranges) body.fill(mask, start, end);
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

function splitLike(body: Buffer, chunks: readonly TimedChunk[]): TimedChunk[] {
  let from = 0;
  return chunks.map(({ deltaMs, bytes }) => {
    from += bytes.length;
    return { deltaMs, bytes: body.subarray(from - bytes.length, from) };
  });
}

/**
 * Masks secrets in a response body byte for byte, so that chunks keep their boundaries and times. Deltas are joined per
 * content block before they are scanned, because a secret may span several deltas and chunks.
 */
export function redactResponse(
  chunks: readonly TimedChunk[],
  exact: readonly string[],
): { chunks: TimedChunk[]; redactions: Redaction[] } {
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const redactions: Redaction[] = [];
  for (const hit of findInBody(body, exact)) {
    const byteLength = maskHit(body, hit);
    const place = `response:${hit.ranges[0]?.start ?? 0}`;
    if (byteLength > 0) redactions.push({ place, rule: hit.rule, byte_length: byteLength });
  }
  return { chunks: splitLike(body, chunks), redactions };
}
