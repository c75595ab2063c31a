import { contentTypes, objectOf } from "#lib/replay/cassettes/index";
import type { Framing, Provider, TimedChunk } from "#lib/replay/providers/index";
import type { ReceivedAnswer } from "./seal-exchange";
import type { TapeRequest } from "./tape-request";

/** Bytes at the start of a body that show what it is. */
const headByteSize = 64;

function headOf(chunks: readonly TimedChunk[]): string {
  const first: Uint8Array[] = [];
  for (let index = 0, byteSize = 0; index < chunks.length && byteSize < headByteSize; index += 1) {
    const { bytes } = chunks[index] as TimedChunk;
    first.push(bytes.subarray(0, headByteSize));
    byteSize += bytes.length;
  }
  return Buffer.concat(first)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
}

function guessFraming(provider: Provider, request: TapeRequest, { status, chunks }: ReceivedAnswer): Framing | null {
  const head = headOf(chunks);
  if (/^(?:event|data|id|retry)?:/.test(head)) return "sse";
  if (!/^[{[]/.test(head)) return null;
  const form = provider.formOf({ ...request, body: objectOf(request.body) });
  const isStream = form === "ndjson" && status < 400 && provider.operationOf(request) === "generate";
  return isStream ? "ndjson" : "json";
}

/**
 * Returns an answer with a content type. Where the server, or the tool that recorded it, has none, the request and the first
 * bytes say what it is: events, lines of JSON, or JSON. Other bodies stay without one.
 */
export function withContentType(provider: Provider, request: TapeRequest, answer: ReceivedAnswer): ReceivedAnswer {
  if (answer.headers["content-type"]) return answer;
  const framing = guessFraming(provider, request, answer);
  if (framing === null) return answer;
  return { ...answer, headers: { ...answer.headers, "content-type": contentTypes[framing] } };
}
