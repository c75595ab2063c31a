import type { TimedChunk } from "#lib/replay/providers/index";
import { MappedText } from "./mapped-text";
import { type JsonString, jsonStrings, type Piece, placeOf, read, splitPieces, textFields } from "./redact-response";

/** A part of a text, in UTF-16 units, and what is put in its place. */
export type Replacement = { start: number; end: number; text: string };

/** Bytes of a body, and what is put in their place. */
type Edit = { start: number; end: number; bytes: Buffer };

/** Returns which text a string continues: those of the events before it with the same place, key and kind. */
function nameOf(piece: Piece, { key }: JsonString): string {
  // Events of OpenAI Responses with whole texts have the keys that those with pieces have in other protocols.
  const [, kind = ""] = /"type"\s{0,8}:\s{0,8}"(response\.[^"]{1,100})"/.exec(piece.text) ?? [];
  return JSON.stringify([key, placeOf(piece), kind]);
}

/** Returns the texts in the JSON of a body, joined where they continue from event to event. Bytes that are no ASCII are one unit each. */
function textsOf(body: Buffer): MappedText[] {
  const texts: MappedText[] = [];
  const joined = new Map<string, MappedText>();
  for (const piece of splitPieces(body)) {
    if (!piece.isJson) continue;
    const strings = [...jsonStrings(piece.text)];
    const counts = new Map<string | undefined, number>();
    for (const { key } of strings) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const string of strings) {
      const { key } = string;
      // Of several strings with one key in one event, none continues another.
      if (key === undefined || !textFields.has(key) || counts.get(key) !== 1) {
        texts.push(read(piece, string));
        continue;
      }
      const name = nameOf(piece, string);
      const text = joined.get(name) ?? new MappedText();
      text.addMapped(read(piece, string));
      joined.set(name, text);
    }
  }
  return [...texts, ...joined.values()];
}

function editChunks(chunks: readonly TimedChunk[], body: Buffer, edits: readonly Edit[]): TimedChunk[] {
  let offset = 0;
  let next = 0;
  return chunks.map(({ deltaMs, bytes }) => {
    const [from, to] = [offset, offset + bytes.length];
    offset = to;
    const parts: Buffer[] = [];
    let at = from;
    for (let edit = edits[next]; edit && edit.start < to; edit = edits[++next]) {
      parts.push(body.subarray(at, Math.max(at, edit.start)));
      if (edit.start >= from) parts.push(edit.bytes);
      at = Math.min(edit.end, to);
      // The next chunk has the rest of it.
      if (edit.end > to) break;
    }
    return { deltaMs, bytes: Buffer.concat([...parts, body.subarray(at, to)]) };
  });
}

/**
 * Replaces parts of the texts in a response body that is JSON, lines of JSON, or events with JSON, and returns its chunks; the
 * same ones if nothing was found. A part that is divided between events is put into the first of them.
 */
export function replaceInResponse(
  chunks: readonly TimedChunk[],
  find: (text: string) => readonly Replacement[],
): readonly TimedChunk[] {
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const edits = textsOf(body).flatMap((mapped) =>
    find(mapped.text).flatMap(({ start, end, text }) =>
      mapped.rangesOf(start, end).map((range, index): Edit => {
        return { ...range, bytes: Buffer.from(index === 0 ? JSON.stringify(text).slice(1, -1) : "") };
      }),
    ),
  );
  if (edits.length === 0) return chunks;
  return editChunks(
    chunks,
    body,
    edits.sort((a, b) => a.start - b.start),
  );
}
