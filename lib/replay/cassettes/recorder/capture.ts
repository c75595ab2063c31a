import type { IncomingMessage } from "node:http";
import type { Clock } from "#lib/platform/clock";
import { minuteMs } from "#lib/platform/time";
import {
  type Answer,
  type Delta,
  EventReader,
  framingOf,
  type Provider,
  type TimedChunk,
} from "#lib/replay/providers/index";
import { type Cassette, maxCassetteByteSize, maxChunkCount, maxDurationMs } from "../format";
import { readRecordedAnswer } from "../read-answer";
import { decodeReads, isEncoded, Reads } from "./read-body";
import { describeProviderError, explainFailure, explainStatus, RecordError } from "./record-error";
import { readEach, send, type Waits } from "./send";

export type RecordLimits = Waits & {
  /** Bytes of the decoded body. */
  maxBodyByteSize: number;
  maxChunkCount: number;
  totalTimeoutMs: number;
};

/** The timeouts before the first byte add up to less than ten minutes; providers send pings several times a minute. */
export const recordLimits: RecordLimits = {
  maxBodyByteSize: maxCassetteByteSize,
  maxChunkCount,
  connectTimeoutMs: 15_000,
  headersTimeoutMs: 240_000,
  idleTimeoutMs: 240_000,
  totalTimeoutMs: maxDurationMs,
};

type RequestToSend = {
  url: URL;
  /** Request headers besides those of the body's type and that of the answer. */
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
};

function flatten(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

type CaptureRequest = { provider: Provider; request: RequestToSend; signal?: AbortSignal; limits: RecordLimits };

export type RecordProgress = {
  byteSize: number;
  chunkCount: number;
  elapsedMs: number;
  /** From the request to the first text, thinking or tool input of a stream; null before it. */
  firstTokenMs: number | null;
};

export type Listeners = {
  /** Called for what each event of a stream adds to the answer. */
  onDelta?: (delta: Delta) => void;
  /** Called with the whole answer at the end. */
  onAnswer?: (answer: Answer, isStream: boolean) => void;
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

type Head = Pick<Capture, "status" | "headers">;

/** Counts what arrives and notifies the listeners. */
class Meter {
  readonly progress: RecordProgress = { byteSize: 0, chunkCount: 0, elapsedMs: 0, firstTokenMs: null };
  readonly #listeners: Listeners;
  readonly #reader: EventReader | undefined;

  constructor(provider: Provider, { status, headers }: Head, listeners: Listeners) {
    this.#listeners = listeners;
    const framing = framingOf(headers["content-type"]);
    if (status >= 300 || framing === "json") return;
    this.#reader = new EventReader(framing, ({ json }) => {
      for (const delta of json ? provider.readDeltas(json) : []) this.#take(delta);
    });
  }

  add({ deltaMs, bytes }: TimedChunk): void {
    this.progress.byteSize += bytes.byteLength;
    this.progress.chunkCount += 1;
    this.progress.elapsedMs += deltaMs;
    this.#reader?.feed(bytes);
    this.#listeners.onProgress?.({ ...this.progress });
  }

  #take(delta: Delta): void {
    if (delta.kind !== "error" && delta.text !== "") this.progress.firstTokenMs ??= this.progress.elapsedMs;
    this.#listeners.onDelta?.(delta);
  }
}

type Outcome = Pick<Capture, "end" | "problem">;
/** What was received until the body ended, or `failure` ended it. */
type Received = Head & { chunks: TimedChunk[]; failure: RecordError | undefined };

function outcomeOf(received: Received, { provider, request: { url } }: CaptureRequest, listeners: Listeners): Outcome {
  const { status, headers, chunks, failure } = received;
  if (status >= 300) {
    const body = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString("utf8");
    return { end: "error", problem: explainStatus(provider, { status, headers, body, url }) };
  }
  const { events, answer, error, isEnded } = readRecordedAnswer(provider, received);
  const type = headers["content-type"];
  const isStream = framingOf(type) !== "json";
  if (answer) listeners.onAnswer?.(answer, isStream);
  if (error) {
    const description = describeProviderError(error) || "an error without a message";
    const message = `The provider ended the stream with ${description} (after ${events.length - 1} events). Try again.`;
    return { end: "error", problem: new RecordError("stream-error", message) };
  }
  if (isEnded) return { end: "complete", problem: undefined };
  if (failure !== undefined) return { end: "truncated", problem: failure };
  if (!(isStream && events.length === 0) && !events.some(({ json }) => json && provider.isAnswer(json))) {
    const message = `${url.host} responded with ${status} and ${type ?? "no content type"}, but not with an answer of ${provider.title}. Does it support ${url.pathname}?`;
    throw new RecordError("answer", message);
  }
  const message = `${url.host} ended the response before the answer was complete, after ${events.length} events. Try again.`;
  return { end: "truncated", problem: new RecordError("cut", message) };
}

/** Sends a request and measures its response. Throws RecordError if there is no response that could be kept. */
export async function capture(clock: Clock, input: CaptureRequest, listeners: Listeners): Promise<Capture> {
  const { provider, request, limits } = input;
  const timer = AbortSignal.timeout(limits.totalTimeoutMs);
  const tooLong = `The response took longer than ${limits.totalTimeoutMs / minuteMs} minutes.`;
  const explain = (error: unknown): RecordError => {
    if (input.signal?.aborted) return new RecordError("interrupted", "The recording was interrupted.");
    return timer.aborted ? new RecordError("timeout", tooLong) : explainFailure(error, request.url);
  };
  let sentAtMs = 0;
  const { url, body } = request;
  const form = provider.formOf({ method: "POST", path: url.pathname, query: url.search.slice(1), body });
  const answer = await send({
    url,
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: form === "sse" || form === "ndjson" ? provider.stream.contentType.replace(/;.*/, "") : "application/json",
      "accept-encoding": "identity",
      ...request.headers,
    },
    body: Buffer.from(JSON.stringify(body)),
    signal: input.signal ? AbortSignal.any([timer, input.signal]) : timer,
    waits: limits,
    agent: false,
    onSent: () => {
      sentAtMs = clock.monotonicMs();
    },
  }).catch((error) => {
    throw explain(error);
  });
  const head = { status: answer.statusCode ?? 0, headers: flatten(answer.headers) };
  const contentEncoding = head.headers["content-encoding"];
  const meter = new Meter(provider, head, listeners);
  const reads = new Reads(sentAtMs, limits);
  const ended = await readEach(answer, (bytes) => {
    const chunk = reads.add(bytes, clock.monotonicMs());
    if (!isEncoded(contentEncoding)) meter.add(chunk);
  });
  const failure = ended && explain(ended);
  if (failure && failure.kind !== "cut" && failure.kind !== "timeout") throw failure;
  const chunks = await decodeReads(reads.chunks, contentEncoding, limits.maxBodyByteSize);
  if (isEncoded(contentEncoding)) for (const chunk of chunks) meter.add(chunk);
  return {
    ...head,
    chunks,
    wireByteSize: reads.byteSize,
    contentEncoding: contentEncoding ?? null,
    firstTokenMs: meter.progress.firstTokenMs,
    ...outcomeOf({ ...head, chunks, failure }, input, listeners),
  };
}
