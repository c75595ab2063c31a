import { decodeText } from "#lib/platform/bytes";
import { type Framing, type Provider, providers, readEvents, type TimedChunk } from "#lib/replay/providers/index";
import { endsOf } from "../event-boundaries";
import { maxChunkCount, maxDeltaMs, type Provenance } from "../format";
import type { GenerateTimes } from "./event-pieces";

/** A capture file: its name, for messages and provenance, and its bytes. */
export type Capture = { file: string; bytes: Uint8Array };

export type ReadOptions = {
  /** Delay of every chunk, in milliseconds, instead of the captured or generated delays. */
  chunkMs?: number;
  /** Number of the HAR entry or aimock fixture, from 1. */
  entry?: number;
  /** Default: detected from the capture. */
  provider?: Provider;
};

/** What readers of captures get besides the options of the user. */
export type ReaderOptions = ReadOptions & { generate: GenerateTimes };

/** The content of a capture, in the form of a cassette. */
export type ImportedStream = {
  provider: Provider;
  chunks: TimedChunk[];
  status: number;
  headers: Record<string, string>;
  /** Body of the request; empty if the capture does not contain it. */
  body: Record<string, unknown>;
  /** Where the request was sent to, if the capture contains it. */
  place?: { path: string; query: string };
  timing: Provenance["timing"];
  boundary: Provenance["boundary"];
  source: Provenance["source"];
};

/** Content types of bodies that have none in the capture. */
export const contentTypes: Record<Framing, string> = {
  sse: "text/event-stream; charset=utf-8",
  ndjson: "application/x-ndjson",
  json: "application/json",
};

/** A capture cannot be imported; the message names the file and the problem. */
export class ImportError extends Error {
  override readonly name = "ImportError";

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`${file}: ${reason}`, options);
  }
}

/** Returns the given provider, or the one whose answer a body is. Throws ImportError if it is of another or of none, or has too many events. */
export function recognizeProvider(body: Uint8Array, framing: Framing, file: string, given?: Provider): Provider {
  const eventCount = endsOf(body, framing).length;
  if (eventCount > maxChunkCount)
    throw new ImportError(file, `has ${eventCount} events; the limit is ${maxChunkCount}`);
  const events = readEvents([{ deltaMs: 0, bytes: body }], framing);
  const found = (given ? [given] : providers).find(({ isAnswer }) => events.some(({ json }) => json && isAnswer(json)));
  if (found) return found;
  const [first] = events;
  if (!first) throw new ImportError(file, framing === "sse" ? "has no server-sent events" : "has no JSON");
  const type = typeof first.json?.type === "string" ? `is ${first.json.type.slice(0, 60)}` : "has no type";
  throw new ImportError(file, `is not an answer of ${given?.title ?? "a known provider"}: its first event ${type}`);
}

/** Returns which limit of a cassette some chunks exceed. */
export function findExcess(chunks: readonly TimedChunk[]): string | undefined {
  if (chunks.length > maxChunkCount) return `has ${chunks.length} events; the limit is ${maxChunkCount}`;
  const isLong = chunks.some(({ deltaMs }) => deltaMs > maxDeltaMs);
  return isLong ? `has a pause of more than ${maxDeltaMs} ms, which is the limit` : undefined;
}

/** Parses the JSON of a capture. Throws ImportError. */
export function parseJson({ bytes, file }: Capture): unknown {
  try {
    return JSON.parse(decodeText(bytes).replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new ImportError(file, `is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

export const captureFormats = ["sse", "jsonl", "json", "har", "aimock"] as const;
export type CaptureFormat = (typeof captureFormats)[number];

const formatByEnding: Record<string, CaptureFormat> = { sse: "sse", jsonl: "jsonl", ndjson: "jsonl", har: "har" };

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** Bytes examined at the start of a file to detect its format. */
const headByteSize = 4096;

/** Detects the format of a capture from its file name and its first bytes. Throws ImportError. */
export function detectFormat({ file, bytes }: Capture): CaptureFormat {
  const named = formatByEnding[/\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ""];
  if (named) return named;
  const head = decodeText(bytes.subarray(0, headByteSize))
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (/^(?:event|data|id|retry)?:/.test(head)) return "sse";
  if (/^\{\s*"log"\s*:/.test(head)) return "har";
  if (/^\{\s*"(?:_warnings?|fixtures)"\s*:/.test(head)) return "aimock";
  if (isJson(decodeText(bytes).replace(/^\uFEFF/, ""))) return "json";
  if (isJson(head.split("\n", 1)[0] ?? "")) return "jsonl";
  throw new ImportError(
    file,
    `has an unknown format; if it is a capture, give its format with --format ${captureFormats.join("|")}`,
  );
}
