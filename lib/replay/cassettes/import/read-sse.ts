import { type Capture, ImportError, type ImportedStream, type ReadOptions, streamHeaders } from "./capture";
import { checkMessages, type EventPiece, formatEvent, generateTimes, spaceEvenly, splitEvents } from "./event-pieces";

function toStream(pieces: EventPiece[], { chunkMs }: ReadOptions, source: ImportedStream["source"]): ImportedStream {
  return {
    chunks: chunkMs === undefined ? generateTimes(pieces) : spaceEvenly(pieces, chunkMs),
    status: 200,
    headers: streamHeaders,
    body: {},
    timing: "synthetic",
    boundary: "sse-event",
    source,
  };
}

/** Converts a raw capture of an event stream: its exact bytes, one event per chunk. Throws ImportError. */
export function readSse(capture: Capture, options: ReadOptions): ImportedStream {
  const pieces = splitEvents(capture.bytes);
  checkMessages(pieces, capture);
  return toStream(pieces, options, { format: "sse" });
}

function formatLine(line: string, number: number, file: string): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new ImportError(file, `line ${number} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  const type = (value as { type?: unknown } | null)?.type;
  if (typeof type === "string" && /^[\w.-]{1,100}$/.test(type)) return formatEvent(type, line);
  throw new ImportError(file, `line ${number} is not an event: it has no "type"`);
}

/** Rebuilds an event stream from JSON events, one per line, whose text is kept. Throws ImportError. */
export function readJsonLines(capture: Capture, options: ReadOptions): ImportedStream {
  const lines = capture.bytes
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/);
  const events = lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [formatLine(line.trim(), index + 1, capture.file)],
  );
  const pieces = splitEvents(Buffer.concat(events));
  checkMessages(pieces, capture);
  const note = "The file has only the JSON of the events; the importer generated the event stream around it.";
  return toStream(pieces, options, { format: "jsonl", rebuilt: true, note });
}
