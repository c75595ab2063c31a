import { decodeText, encodeText } from "#lib/platform/bytes";
import {
  type Framing,
  framingOf,
  type Provider,
  type RecordedEvent,
  readEvents,
  serverSentEvent,
} from "#lib/replay/providers/index";
import {
  type Capture,
  contentTypes,
  ImportError,
  type ImportedStream,
  parseJson,
  type ReaderOptions,
  recognizeProvider,
} from "./capture";
import { spaceEvenly, splitEvents } from "./event-pieces";

function toStream(
  { bytes, file }: Capture,
  framing: Framing,
  { chunkMs, provider: given, generate }: ReaderOptions,
  source: ImportedStream["source"],
): ImportedStream {
  const provider = recognizeProvider(bytes, framing, file, given);
  const pieces = splitEvents(bytes, framing);
  return {
    provider,
    chunks: chunkMs === undefined ? generate(pieces, provider) : spaceEvenly(pieces, chunkMs),
    status: 200,
    headers: { "content-type": contentTypes[framing] },
    body: {},
    timing: "synthetic",
    boundary: "sse-event",
    source,
  };
}

/** Converts a raw capture of an event stream: its exact bytes, one event per chunk. Throws ImportError. */
export function readSse(capture: Capture, options: ReaderOptions): ImportedStream {
  return toStream(capture, "sse", options, { format: "sse" });
}

/** Converts the body of an answer that was not streamed, or was streamed as a JSON array. Throws ImportError. */
export function readJson(capture: Capture, options: ReaderOptions): ImportedStream {
  parseJson(capture);
  const stream = toStream(capture, "json", options, { format: "json" });
  const { error, body } = stream.provider.fold(readEvents(stream.chunks, "json"));
  return error && !body ? { ...stream, status: stream.provider.statusOf(error) } : stream;
}

type Line = { text: string; number: number };

function checkLine({ text, number }: Line, file: string): void {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new ImportError(file, `line ${number} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

function formatLine({ text, number }: Line, { stream }: Provider, file: string): string {
  if (!stream.isNamed) return serverSentEvent(text);
  const { type } = JSON.parse(text) as { type?: unknown };
  if (typeof type === "string" && /^[\w.-]{1,100}$/.test(type)) return serverSentEvent(text, type);
  throw new ImportError(file, `line ${number} is not an event: it has no "type"`);
}

/** Returns the end marker of a stream if the file lacks it although the answer is complete. */
function missingEnd({ stream, fold, readAnswer }: Provider, events: readonly RecordedEvent[]): string {
  const { body } = fold(events);
  return stream.endMarker !== null && body && readAnswer(body).stopReason !== null
    ? serverSentEvent(stream.endMarker)
    : "";
}

/**
 * Reads JSON events, one per line. If the provider streams lines, these are the exact bytes; otherwise the event stream
 * around them is rebuilt. Throws ImportError.
 */
export function readJsonLines(capture: Capture, options: ReaderOptions): ImportedStream {
  const { bytes, file } = capture;
  const text = decodeText(bytes).replace(/^\uFEFF/, "");
  const lines = text.split(/\r\n|\n|\r/).flatMap((line, index) => {
    const trimmed = line.trim();
    return trimmed === "" || trimmed === "[DONE]" ? [] : [{ text: trimmed, number: index + 1 }];
  });
  for (const line of lines) checkLine(line, file);
  const provider = recognizeProvider(encodeText(text), "ndjson", file, options.provider);
  if (framingOf(provider.stream.contentType) === "ndjson") {
    return toStream(capture, "ndjson", { ...options, provider }, { format: "jsonl" });
  }
  const events = lines.map((line) => formatLine(line, provider, file));
  const end = missingEnd(provider, readEvents([{ deltaMs: 0, bytes: encodeText(text) }], "ndjson"));
  const note = "The file has only the JSON of the events; the importer generated the event stream around it.";
  const rebuilt = { file, bytes: encodeText(events.join("") + end) };
  return toStream(rebuilt, "sse", { ...options, provider }, { format: "jsonl", rebuilt: true, note });
}
