import type * as z from "zod";
import { decodeBase64, decodeText, encodeText } from "#lib/platform/bytes";
import type { TimedChunk } from "#lib/replay/providers/index";
import { type Cassette, type Chunk, cassetteSchema, maxCassetteByteSize, maxDurationMs } from "./format";

/** A cassette file with decoded chunks. */
export type DecodedCassette = { cassette: Omit<Cassette, "chunks">; chunks: TimedChunk[]; durationMs: number };

/** The file is not one that may be replayed; the message is for the operator. */
export class CassetteError extends Error {
  override readonly name = "CassetteError";
}

/** Parses a file's text. Throws CassetteError. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CassetteError(`is not valid JSON (truncated or damaged?): ${(cause as Error).message}`, { cause });
  }
}

/** Returns a value that matches a schema. Throws CassetteError. */
export function checkSchema<T>(name: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const place = first?.path.length ? first.path.join(".") : "the file";
  throw new CassetteError(`does not match the ${name} schema: ${place}: ${first?.message}`);
}

export function decodeChunk(chunk: Chunk): TimedChunk {
  const bytes = "s" in chunk ? encodeText(chunk.s) : decodeBase64(chunk.b);
  return { deltaMs: chunk.delta_ms, bytes };
}

/** What the hash of chunks covers of each, before its bytes: their number (u32) and the delay in microseconds (u64). */
export function chunkHead({ deltaMs, bytes }: TimedChunk): Uint8Array {
  const head = new DataView(new ArrayBuffer(12));
  head.setUint32(0, bytes.length);
  head.setBigUint64(4, BigInt(Math.round(deltaMs * 1000)));
  return new Uint8Array(head.buffer);
}

/**
 * Decodes a cassette file without checking its hashes. Throws CassetteError if it is malformed or exceeds a limit. Runs in
 * browsers too.
 */
export function decodeCassette(file: Uint8Array): DecodedCassette {
  if (file.byteLength > maxCassetteByteSize) {
    throw new CassetteError(`has ${file.byteLength} bytes; the limit is ${maxCassetteByteSize} (64 MiB)`);
  }
  const value = parseJson(decodeText(file));
  if ((value as { schema?: unknown } | null)?.schema === "cassette/1")
    throw new CassetteError("has the format cassette/1, which is no longer read. Record it again");
  const { chunks: encoded, ...cassette } = checkSchema("cassette/2", cassetteSchema, value);
  const chunks = encoded.map(decodeChunk);
  const durationMs = chunks.reduce((sum, { deltaMs }) => sum + deltaMs, 0);
  if (durationMs > maxDurationMs)
    throw new CassetteError(`lasts ${durationMs} ms; the limit is ${maxDurationMs} (one hour)`);
  return { cassette, chunks, durationMs };
}
