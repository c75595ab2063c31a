import { createParser } from "eventsource-parser";
import type { Clock } from "#lib/platform/clock";
import { minuteMs } from "#lib/platform/time";
import type { TimedChunk } from "#lib/replay/providers/index";
import type { Cassette } from "../format";
import type { RecordLimits } from "./limits";
import { type BodyRead, readBody } from "./read-body";
import { describeProviderError, explainFailure, explainStatus, RecordError } from "./record-error";
import { type Sent, sendRequest } from "./send-request";

/** State of a stream that is being received. */
type StreamState = {
  /** Whether `message_stop` was received. */
  stopped: boolean;
  /** The `error` object of an `error` event. */
  error: unknown;
  eventCount: number;
};

type Delta = { kind: "text" | "thinking" | "input"; text: string };

const kinds = { text_delta: "text", thinking_delta: "thinking", input_json_delta: "input" } as const;
const members = { text: "text", thinking: "thinking", input: "partial_json" } as const;

function parse(data: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data);
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function readDelta(json: Record<string, unknown>): Delta | undefined {
  const delta = (json.delta ?? {}) as Record<string, unknown>;
  const kind = kinds[delta.type as keyof typeof kinds];
  const text = kind && delta[members[kind]];
  return typeof text === "string" && text !== "" ? { kind, text } : undefined;
}

/** Parses a stream of Messages events as it arrives, and reports its deltas. */
class StreamWatcher {
  readonly state: StreamState = { stopped: false, error: undefined, eventCount: 0 };
  readonly #decoder = new TextDecoder();
  readonly #parser;

  constructor(onDelta: (delta: Delta) => void) {
    this.#parser = createParser({
      onEvent: ({ data }) => {
        const json = parse(data);
        this.state.eventCount += 1;
        if (json.type === "message_stop") this.state.stopped = true;
        else if (json.type === "error") this.state.error = json.error ?? {};
        else if (json.type === "content_block_delta") {
          const delta = readDelta(json);
          if (delta) onDelta(delta);
        }
      },
    });
  }

  feed(bytes: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
  }
}

type CaptureRequest = {
  url: URL;
  body: Record<string, unknown>;
  apiKey: string | undefined;
  signal?: AbortSignal;
  limits: RecordLimits;
};

/** Progress of a recording. */
export type RecordProgress = {
  byteSize: number;
  chunkCount: number;
  elapsedMs: number;
  /** From the request to the first text, thinking or tool input; null before it. */
  firstTokenMs: number | null;
};

export type Listeners = {
  /** Called for each delta of text, thinking or tool input. */
  onDelta?: (delta: Delta) => void;
  /** Called with the raw bytes of the event stream. */
  onBytes?: (bytes: Uint8Array) => void;
  onProgress?: (progress: RecordProgress) => void;
};

/** A captured response, and how it ended. */
export type Capture = {
  status: number;
  headers: Record<string, string>;
  chunks: TimedChunk[];
  wireByteSize: number;
  contentEncoding: string | null;
  firstTokenMs: number | null;
  end: Cassette["end"];
  /** Why the response is not complete; an error or a truncated stream may be kept on request. */
  problem: RecordError | undefined;
};

/** Counts what arrives and notifies the listeners. */
class Meter {
  readonly progress: RecordProgress = { byteSize: 0, chunkCount: 0, elapsedMs: 0, firstTokenMs: null };
  readonly watcher: StreamWatcher;
  readonly #listeners: Listeners;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
    this.watcher = new StreamWatcher((delta) => {
      this.progress.firstTokenMs ??= this.progress.elapsedMs;
      listeners.onDelta?.(delta);
    });
  }

  add({ deltaMs, bytes }: TimedChunk, isStream: boolean): void {
    this.progress.byteSize += bytes.byteLength;
    this.progress.chunkCount += 1;
    this.progress.elapsedMs += deltaMs;
    if (isStream) {
      this.watcher.feed(bytes);
      this.#listeners.onBytes?.(bytes);
    }
    this.#listeners.onProgress?.({ ...this.progress });
  }
}

type Outcome = Pick<Capture, "end" | "problem">;

function outcomeOfStatus({ status, headers }: Sent, { chunks }: BodyRead, url: URL): Outcome {
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString("utf8");
  return { end: "error", problem: explainStatus({ status, headers, body, url }) };
}

function outcomeOfStream({ state }: StreamWatcher, { failure }: BodyRead, { url, limits }: CaptureRequest): Outcome {
  if (state.error !== undefined) {
    const description = describeProviderError(state.error) || "an error without a message";
    const position = `after ${state.eventCount - 1} events`;
    return {
      end: "error",
      problem: new RecordError(
        "stream-error",
        `The provider ended the stream with ${description} (${position}). Try again.`,
      ),
    };
  }
  if (state.stopped) return { end: "complete", problem: undefined };
  if (failure !== undefined) return { end: "truncated", problem: explainFailure(failure, url, limits) };
  const message = `${url.host} ended the stream without message_stop, after ${state.eventCount} events. Try again.`;
  return { end: "truncated", problem: new RecordError("cut", message) };
}

/** Throws failures after which there is nothing to keep. */
function throwUnlessKept(failure: unknown): void {
  if (failure instanceof RecordError && failure.kind !== "cut" && failure.kind !== "timeout") throw failure;
}

function checkIsStream({ status, headers }: Sent, isStream: boolean, { url }: CaptureRequest): void {
  if (status >= 300 || isStream) return;
  const type = headers["content-type"] ?? "no content type";
  const message = `${url.host} responded with ${status} and ${type} instead of an event stream. Does it support Anthropic Messages?`;
  throw new RecordError("answer", message);
}

/** Sends a request and measures its response. Throws RecordError if there is no response that could be kept. */
export async function capture(clock: Clock, input: CaptureRequest, listeners: Listeners): Promise<Capture> {
  const { url, body, apiKey, limits } = input;
  const timer = new AbortController();
  const tooLong = new RecordError(
    "timeout",
    `The response took longer than ${limits.totalTimeoutMs / minuteMs} minutes.`,
  );
  const timeout = setTimeout(() => timer.abort(tooLong), limits.totalTimeoutMs);
  const checkInterrupt = () => {
    if (input.signal?.aborted) throw new RecordError("interrupted", "The recording was interrupted.");
  };
  const signal = input.signal ? AbortSignal.any([timer.signal, input.signal]) : timer.signal;
  try {
    const sent = await sendRequest(clock, { url, body, apiKey, signal }, limits).catch((error) => {
      checkInterrupt();
      throw explainFailure(signal.aborted ? signal.reason : error, url, limits);
    });
    const { status, headers, sentAtMs } = sent;
    const isStream = status < 300 && /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
    const meter = new Meter(listeners);
    const contentEncoding = headers["content-encoding"];
    const onChunk = (chunk: TimedChunk) => meter.add(chunk, isStream);
    const read = await readBody(clock, sent.body, { contentEncoding, sentAtMs, limits, onChunk }).finally(sent.close);
    checkInterrupt();
    throwUnlessKept(read.failure);
    checkIsStream(sent, isStream, input);
    const outcome = isStream ? outcomeOfStream(meter.watcher, read, input) : outcomeOfStatus(sent, read, url);
    return {
      status,
      headers,
      chunks: read.chunks,
      wireByteSize: read.wireByteSize,
      contentEncoding: contentEncoding ?? null,
      firstTokenMs: meter.progress.firstTokenMs,
      ...outcome,
    };
  } finally {
    clearTimeout(timeout);
  }
}
