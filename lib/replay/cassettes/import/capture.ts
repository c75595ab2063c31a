import type { TimedChunk } from "#lib/replay/providers/index";
import type { Provenance } from "../format";

/** A capture file: its name, for messages and provenance, and its bytes. */
export type Capture = { file: string; bytes: Buffer };

export type ReadOptions = {
  /** Delay of every chunk, in milliseconds, instead of the captured or generated delays. */
  chunkMs?: number;
  /** Number of the HAR entry or aimock fixture, from 1. */
  entry?: number;
};

/** The content of a capture, in the form of a cassette. */
export type ImportedStream = {
  chunks: TimedChunk[];
  status: number;
  headers: Record<string, string>;
  /** Body of the request; empty if the capture does not contain it. */
  body: Record<string, unknown>;
  timing: Provenance["timing"];
  boundary: Provenance["boundary"];
  source: Provenance["source"];
};

export const streamHeaders = { "content-type": "text/event-stream; charset=utf-8" };

/** A capture cannot be imported; the message names the file and the problem. */
export class ImportError extends Error {
  override readonly name = "ImportError";

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`${file}: ${reason}`, options);
  }
}

/** Parses the JSON of a capture. Throws ImportError. */
export function parseJson({ bytes, file }: Capture): unknown {
  try {
    return JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new ImportError(file, `is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

export const captureFormats = ["sse", "jsonl", "har", "aimock"] as const;
export type CaptureFormat = (typeof captureFormats)[number];

const formatByEnding: Record<string, CaptureFormat> = { sse: "sse", jsonl: "jsonl", ndjson: "jsonl", har: "har" };

/** Bytes examined at the start of a file to detect its format. */
const headByteSize = 4096;

/** Detects the format of a capture from its file name and its first bytes. Throws ImportError. */
export function detectFormat({ file, bytes }: Capture): CaptureFormat {
  const named = formatByEnding[/\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ""];
  if (named) return named;
  const head = bytes
    .subarray(0, headByteSize)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (/^(?:event|data|id|retry)?:/.test(head)) return "sse";
  if (/^\{\s*"log"\s*:/.test(head)) return "har";
  if (/^\{\s*"(?:_warnings?|fixtures)"\s*:/.test(head)) return "aimock";
  if (/^\{.*"type"\s*:/.test(head.split("\n", 1)[0] ?? "")) return "jsonl";
  throw new ImportError(
    file,
    `has an unknown format; if it is a capture, give its format with --format ${captureFormats.join("|")}`,
  );
}
