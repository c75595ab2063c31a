import { isUtf8 } from "node:buffer";
import { roundToMicrosecond, type TimedChunk } from "./integrity";
import type { Chunk } from "./schemas";

/** Bytes to the file's form: text where the chunk alone is valid UTF-8, else base64. */
export function encodeChunk({ deltaMs, bytes }: TimedChunk): Chunk {
  const delta_ms = roundToMicrosecond(deltaMs);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? { delta_ms, s: buffer.toString("utf8") } : { delta_ms, b: buffer.toString("base64") };
}

/** The file's form back to bytes. */
export function decodeChunk(chunk: Chunk): TimedChunk {
  const bytes = "s" in chunk ? Buffer.from(chunk.s, "utf8") : Buffer.from(chunk.b, "base64");
  return { deltaMs: chunk.delta_ms, bytes };
}
