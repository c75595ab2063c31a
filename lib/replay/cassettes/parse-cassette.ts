import { decodeChunk, hashBody, hashChunks, hashRequest, type TimedChunk } from "./encoding";
import { type Cassette, cassetteSchema, maxCassetteByteSize, maxDurationMs } from "./schemas";

/** A cassette that passed its schema and its hashes, with decoded chunks. */
export type VerifiedCassette = { cassette: Omit<Cassette, "chunks">; chunks: TimedChunk[]; durationMs: number };

/** The file is not a cassette that may be replayed; the message is for the operator. */
export class CassetteError extends Error {
  override readonly name = "CassetteError";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CassetteError(`is not valid JSON (truncated or damaged?): ${(cause as Error).message}`, { cause });
  }
}

function checkSchema(value: unknown): Cassette {
  const result = cassetteSchema.safeParse(value);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const place = first?.path.length ? first.path.join(".") : "the file";
  throw new CassetteError(`does not match the cassette/1 schema: ${place}: ${first?.message}`);
}

function checkHash(name: string, expected: string, actual: string): void {
  if (expected !== actual)
    throw new CassetteError(`${name} does not match: the file says ${expected}, the content has ${actual}`);
}

/**
 * Parses a cassette file. Throws CassetteError if it is malformed, was altered (its hashes do not match), or exceeds a
 * limit.
 */
export function parseCassette(file: Uint8Array): VerifiedCassette {
  if (file.byteLength > maxCassetteByteSize) {
    throw new CassetteError(`has ${file.byteLength} bytes; the limit is ${maxCassetteByteSize} (64 MiB)`);
  }
  const { chunks: encoded, ...cassette } = checkSchema(parseJson(Buffer.from(file).toString("utf8")));
  const chunks = encoded.map(decodeChunk);
  const durationMs = chunks.reduce((sum, { deltaMs }) => sum + deltaMs, 0);
  if (durationMs > maxDurationMs)
    throw new CassetteError(`lasts ${durationMs} ms; the limit is ${maxDurationMs} (one hour)`);
  checkHash("request.sha256", cassette.request.sha256, hashRequest(cassette.request.body));
  checkHash("integrity.body_sha256", cassette.integrity.body_sha256, hashBody(chunks));
  checkHash("integrity.chunks_sha256", cassette.integrity.chunks_sha256, hashChunks(chunks));
  return { cassette, chunks, durationMs };
}
