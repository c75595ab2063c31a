import { isUtf8 } from "node:buffer";
import { roundToMicrosecond, type TimedChunk } from "./integrity";
import type { Chunk } from "./schemas";

/** Encodes a chunk for the file: as text if it is valid UTF-8 by itself, else as base64. */
export function encodeChunk({ deltaMs, bytes }: TimedChunk): Chunk {
  const delta_ms = roundToMicrosecond(deltaMs);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? { delta_ms, s: buffer.toString("utf8") } : { delta_ms, b: buffer.toString("base64") };
}

/** Decodes a chunk of the file. */
export function decodeChunk(chunk: Chunk): TimedChunk {
  const bytes = "s" in chunk ? Buffer.from(chunk.s, "utf8") : Buffer.from(chunk.b, "base64");
  return { deltaMs: chunk.delta_ms, bytes };
}
