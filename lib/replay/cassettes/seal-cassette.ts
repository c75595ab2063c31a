import type { Provider, TimedChunk } from "#lib/replay/providers/index";
import { encodeChunk, hashBody, hashChunks, roundToMicrosecond } from "./encoding";
import { type Cassette, cassetteSchema, type Provenance } from "./format";
import { readRecordedAnswer, reportedUsage } from "./read-answer";
import { hashRequest } from "./request";

/** Everything about a cassette that cannot be computed from its bytes. */
type CassetteDraft = {
  id: string;
  title: string;
  subtitle: string;
  provider: Provider;
  provenance: Provenance;
  request: Omit<Cassette["request"], "sha256">;
  response: { status: number; headers: Record<string, string>; contentEncoding?: string | null; wireBytes?: number };
  chunks: TimedChunk[];
  end: Cassette["end"];
};

/** Adds usage, hashes and encoded chunks to a draft and validates the result. Throws ZodError. */
export function sealCassette(draft: CassetteDraft): Cassette {
  const chunks = draft.chunks.map(({ deltaMs, bytes }) => ({ deltaMs: roundToMicrosecond(deltaMs), bytes }));
  const { status, headers } = draft.response;
  return cassetteSchema.parse({
    schema: "cassette/2",
    id: draft.id,
    title: draft.title,
    subtitle: draft.subtitle,
    provider: draft.provider.name,
    provenance: draft.provenance,
    request: { ...draft.request, sha256: hashRequest(draft.request) },
    response: {
      status,
      headers,
      wire: {
        content_encoding: draft.response.contentEncoding ?? null,
        bytes: draft.response.wireBytes ?? chunks.reduce((sum, { bytes }) => sum + bytes.length, 0),
      },
    },
    chunks: chunks.map(encodeChunk),
    end: draft.end,
    usage: reportedUsage(readRecordedAnswer(draft.provider, { headers, chunks })),
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
