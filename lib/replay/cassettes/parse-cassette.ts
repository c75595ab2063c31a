import type { z } from "zod";
import type { TimedChunk } from "#lib/replay/providers/index";
import { decodeChunk, hashBody, hashChunks, hashJson } from "./encoding";
import { type Cassette, cassette1Schema, cassette2Schema, maxCassetteByteSize, maxDurationMs } from "./format";
import { hashRequest } from "./request";

/** A cassette that passed its schema and its hashes, with decoded chunks. */
export type VerifiedCassette = { cassette: Omit<Cassette, "chunks">; chunks: TimedChunk[]; durationMs: number };

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

/** Reads either version, and returns it with the fields of version 2. Its request's hash is checked. */
function readVersion(value: unknown): Cassette {
  if ((value as { schema?: unknown } | null)?.schema !== "cassette/1") {
    const cassette = checkSchema("cassette/2", cassette2Schema, value);
    checkHash("request.sha256", cassette.request.sha256, hashRequest(cassette.request));
    return cassette;
  }
  const { request, ...cassette } = checkSchema("cassette/1", cassette1Schema, value);
  const { body, ...rest } = request;
  checkHash("request.sha256", request.sha256, hashJson(body));
  return { ...cassette, request: { method: "POST", query: "", ...rest, body: { json: body } } };
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
  const { chunks: encoded, ...cassette } = readVersion(parseJson(Buffer.from(file).toString("utf8")));
  const chunks = encoded.map(decodeChunk);
  const durationMs = chunks.reduce((sum, { deltaMs }) => sum + deltaMs, 0);
  if (durationMs > maxDurationMs)
    throw new CassetteError(`lasts ${durationMs} ms; the limit is ${maxDurationMs} (one hour)`);
  checkHash("integrity.body_sha256", cassette.integrity.body_sha256, hashBody(chunks));
  checkHash("integrity.chunks_sha256", cassette.integrity.chunks_sha256, hashChunks(chunks));
  return { cassette, chunks, durationMs };
}
