import { encodeChunk, hashBody, hashChunks, hashRequest, roundToMicrosecond, type TimedChunk } from "./encoding";
import { foldMessage } from "./fold-message";
import { readEvents } from "./read-events";
import { type Cassette, cassetteSchema, type Provenance, type Redaction } from "./schemas";

/** Everything about a cassette that cannot be computed from its bytes. */
type CassetteDraft = {
  id: string;
  title: string;
  subtitle: string;
  provenance: Provenance;
  request: { body: Record<string, unknown>; redactions: Redaction[] };
  response: { status: number; headers: Record<string, string>; contentEncoding?: string | null; wireBytes?: number };
  chunks: TimedChunk[];
  end: Cassette["end"];
};

/** Adds usage, hashes and encoded chunks to a draft and validates the result. Throws ZodError. */
export function sealCassette(draft: CassetteDraft): Cassette {
  const chunks = draft.chunks.map(({ deltaMs, bytes }) => ({ deltaMs: roundToMicrosecond(deltaMs), bytes }));
  const usage = foldMessage(readEvents(chunks)).message?.usage;
  return cassetteSchema.parse({
    schema: "cassette/1",
    id: draft.id,
    title: draft.title,
    subtitle: draft.subtitle,
    provider: "anthropic",
    provenance: draft.provenance,
    request: {
      path: "/v1/messages",
      body: draft.request.body,
      sha256: hashRequest(draft.request.body),
      redactions: draft.request.redactions,
    },
    response: {
      status: draft.response.status,
      headers: draft.response.headers,
      wire: {
        content_encoding: draft.response.contentEncoding ?? null,
        bytes: draft.response.wireBytes ?? chunks.reduce((sum, { bytes }) => sum + bytes.length, 0),
      },
    },
    chunks: chunks.map(encodeChunk),
    end: draft.end,
    usage: usage ?? {},
    integrity: { body_sha256: hashBody(chunks), chunks_sha256: hashChunks(chunks) },
  });
}

/** Returns the text of a cassette file: indented JSON with one chunk per line, so that it can be read and diffed. */
export function serializeCassette(cassette: Cassette): string {
  const members = Object.entries(cassette).map(([key, value]) => {
    const text = key === "chunks" ? serializeChunks(cassette.chunks) : JSON.stringify(value, null, 2);
    return `  ${JSON.stringify(key)}: ${text.replaceAll("\n", "\n  ")}`;
  });
  return `{\n${members.join(",\n")}\n}\n`;
}

function serializeChunks(chunks: Cassette["chunks"]): string {
  return chunks.length === 0 ? "[]" : `[\n  ${chunks.map((chunk) => JSON.stringify(chunk)).join(",\n  ")}\n]`;
}
