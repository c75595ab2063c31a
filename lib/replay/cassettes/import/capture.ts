import type { TimedChunk } from "../integrity";
import type { Provenance } from "../schemas";

/** A capture that is being read: its file's name, for messages and provenance, and its bytes. */
export type Capture = { file: string; bytes: Buffer };

export type ReadOptions = {
  /** Delay of every chunk, in milliseconds, in place of what the capture or the model says. */
  chunkMs?: number;
  /** Number, from 1, of the HAR entry or aimock fixture. */
  entry?: number;
};

/** What a capture holds, in the terms of a cassette. */
export type ImportedStream = {
  chunks: TimedChunk[];
  status: number;
  headers: Record<string, string>;
  /** The request's body; empty where the capture does not hold it. */
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

/** The JSON of a capture. Throws ImportError. */
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

/** Characters that are looked at: a format shows in its beginning. */
const headLength = 4096;

/** Which kind of capture a file is, by its name and its beginning. Throws ImportError. */
export function detectFormat({ file, bytes }: Capture): CaptureFormat {
  const named = formatByEnding[/\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ""];
  if (named) return named;
  const head = bytes
    .subarray(0, headLength)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (/^(?:event|data|id|retry)?:/.test(head)) return "sse";
  if (/^\{\s*"log"\s*:/.test(head)) return "har";
  if (/^\{\s*"(?:_warnings?|fixtures)"\s*:/.test(head)) return "aimock";
  if (/^\{.*"type"\s*:/.test(head.split("\n", 1)[0] ?? "")) return "jsonl";
  throw new ImportError(
    file,
    `is no capture of a known kind; if it is one, name its kind with --format ${captureFormats.join("|")}`,
  );
}
