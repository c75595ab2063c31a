import { createHash } from "node:crypto";
import { textOf } from "../corpus";
import type { SearchDocument } from "../document";

/** Value of `vertical` for pages, which every site searches. */
export const anyVertical = "any";

/** A document of the hosted index: a part of one of our documents. */
export type Passage = {
  /** `<document id>#<number>`, from 0. */
  id: string;
  content: { title: string; text: string };
  metadata: { document: string; surface: string; vertical: string; hash: string };
};

/** Upstash Search accepts 4,096 characters of content; a limit in bytes of UTF-8 stays below it in any script. */
const maxTextByteSize = 3_600;
const maxTitleByteSize = 300;
/** Most passages of a document; the rest of it is not in the hosted index. */
const maxPassageCount = 40;
/** Part of each hash; increase it when passages are generated differently, so that all are updated. */
const formatVersion = 1;

/** Returns the end of a piece of at most `maxByteSize`: after a paragraph, line or word in its second half if possible. */
function endOfPiece(text: string, start: number, maxByteSize: number): number {
  const { read } = new TextEncoder().encodeInto(text.slice(start, start + maxByteSize), new Uint8Array(maxByteSize));
  const limit = start + read;
  if (limit === text.length) return limit;
  for (const separator of ["\n\n", "\n", " "]) {
    const end = text.lastIndexOf(separator, limit - separator.length) + separator.length;
    if (end > start + read / 2) return end;
  }
  return limit;
}

function cutText(text: string, maxByteSize: number, maxCount: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length && pieces.length < maxCount; ) {
    const end = endOfPiece(text, start, maxByteSize);
    const piece = text.slice(start, end).trim();
    if (piece) pieces.push(piece);
    start = end;
  }
  return pieces.length > 0 ? pieces : [""];
}

/** Replaces lone surrogates in a text, which JSON in UTF-8 cannot represent. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}

/** Splits a document into passages for the hosted index, each with the title and a hash that detects changes. */
export function passagesOf(document: SearchDocument): Passage[] {
  const { id, surface, lead } = document;
  const vertical = surface === "page" ? anyVertical : (id.split("/")[0] as string);
  const title = cutText(wellFormed(document.title), maxTitleByteSize, 1)[0] as string;
  const text = surface === "page" ? textOf(document) : `${lead}\n\n${textOf(document)}`;
  return cutText(wellFormed(text), maxTextByteSize, maxPassageCount).map((piece, number) => ({
    id: `${id}#${number}`,
    content: { title, text: piece },
    metadata: { document: id, surface, vertical, hash: hashOf([formatVersion, vertical, title, piece]) },
  }));
}
