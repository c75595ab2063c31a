import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { TimedChunk } from "#lib/replay/providers/index";
import { chunkHead } from "./decode-cassette";
import type { Chunk } from "./format";

/** Rounds milliseconds to the microsecond, the resolution of the file format. */
export function roundToMicrosecond(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** Returns the SHA-256 of the whole body, in hexadecimal. */
export function hashBody(chunks: readonly TimedChunk[]): string {
  const hash = createHash("sha256");
  for (const chunk of chunks) hash.update(chunk.bytes);
  return hash.digest("hex");
}

/**
 * Returns the SHA-256 over each chunk's byte length (u32, big-endian), its delay in microseconds (u64, big-endian) and
 * its bytes, so that boundaries and timing are protected too.
 */
export function hashChunks(chunks: readonly TimedChunk[]): string {
  const hash = createHash("sha256");
  for (const chunk of chunks) hash.update(chunkHead(chunk)).update(chunk.bytes);
  return hash.digest("hex");
}

/** Returns the value of a JSON text, and any other text as it is. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns JSON with sorted keys and no white space, so that equal values give equal text. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** Returns the SHA-256 of a value's canonical JSON, in hexadecimal. */
export function hashJson(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

/**
 * Returns bytes as text; null if they are stored as base64: those that are not valid UTF-8 by themselves, and control characters, such as
 * the zeros of silence, whose escapes would make the text longer than twice its bytes.
 */
export function storableText(bytes: Uint8Array): string | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = isUtf8(buffer) ? buffer.toString("utf8") : null;
  return text !== null && JSON.stringify(text).length <= 2 * bytes.length + 2 ? text : null;
}

/** Encodes a chunk for the file. */
export function encodeChunk({ deltaMs, bytes }: TimedChunk): Chunk {
  const delta_ms = roundToMicrosecond(deltaMs);
  const s = storableText(bytes);
  return s === null ? { delta_ms, b: Buffer.from(bytes).toString("base64") } : { delta_ms, s };
}
