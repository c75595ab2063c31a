import { createHash } from "node:crypto";

/** A chunk in memory: the bytes of one read, and the milliseconds since the previous read. */
export type TimedChunk = { deltaMs: number; bytes: Uint8Array };

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
  const head = Buffer.alloc(12);
  for (const chunk of chunks) {
    head.writeUInt32BE(chunk.bytes.length, 0);
    head.writeBigUInt64BE(BigInt(Math.round(chunk.deltaMs * 1000)), 4);
    hash.update(head).update(chunk.bytes);
  }
  return hash.digest("hex");
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

/** Returns the SHA-256 of a request body's canonical JSON, in hexadecimal. */
export function hashRequest(body: Record<string, unknown>): string {
  return createHash("sha256").update(canonicalJson(body)).digest("hex");
}
