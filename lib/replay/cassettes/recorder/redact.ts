import type { TimedChunk } from "../integrity";
import type { Redaction } from "../schemas";
import { redactRequest } from "./redact-request";
import { redactResponse } from "./redact-response";
import { exactSecrets } from "./secret-rules";

/** Most redactions that a cassette notes one by one. */
const maxNoteCount = 10_000;

export type Exchange = { body: Record<string, unknown>; headers: Record<string, string>; chunks: TimedChunk[] };

function boundNotes(notes: Redaction[]): Redaction[] {
  if (notes.length <= maxNoteCount) return notes;
  const rest = notes.slice(maxNoteCount - 1);
  const byteLength = rest.reduce((sum, { byte_length }) => sum + byte_length, 0);
  return [...notes.slice(0, maxNoteCount - 1), { place: "response", rule: "further", byte_length: byteLength }];
}

/**
 * Removes secrets from a request and its response: those known by their shape, and the ones given, such as the key
 * that was used. Lengths and chunk borders stay; each replacement is noted.
 */
export function redact(
  exchange: Exchange,
  secrets: readonly (string | undefined)[],
): Exchange & { redactions: Redaction[] } {
  const exact = exactSecrets(secrets);
  const request = redactRequest(exchange.body, exact);
  const headers = redactRequest(exchange.headers, exact).body as Record<string, string>;
  const response = redactResponse(exchange.chunks, exact);
  const redactions = boundNotes([...request.redactions, ...response.redactions]);
  return { body: request.body, headers, chunks: response.chunks, redactions };
}
