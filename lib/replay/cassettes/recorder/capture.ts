import { Agent, DecoratorHandler, type Dispatcher, request } from "undici";
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
import type { Cassette } from "../format";
import { readRecordedAnswer } from "../read-answer";
import type { RecordLimits } from "./limits";
import { type BodyRead, readBody } from "./read-body";
import { describeProviderError, explainFailure, explainStatus, RecordError } from "./record-error";

type Sent = {
  status: number;
  headers: Record<string, string>;
  body: Dispatcher.ResponseData["body"];
  /** When the request was written to the connection, on the monotonic clock. */
  sentAtMs: number;
  /** Closes the connection. */
  close(): Promise<void>;
};

type RequestToSend = {
  url: URL;
  /** Request headers besides the content type. */
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
};

interface Start {
  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void;
}
// undici's types lack its methods.
const Decorator = DecoratorHandler as unknown as new (handler: Dispatcher.DispatchHandler) => Start;

/** Reports when a request is written to its connection, so that DNS and TLS do not count as response time. */
class RequestStartHandler extends Decorator {
  readonly #onStart: () => void;

  constructor(handler: Dispatcher.DispatchHandler, onStart: () => void) {
    super(handler);
    this.#onStart = onStart;
  }

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#onStart();
    super.onRequestStart(controller, context);
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const pairs = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : `${value}`]));
}

/** Sends a request and returns when the response headers have arrived. Throws undici's errors. */
async function sendRequest(
  clock: Clock,
  { url, headers, body }: RequestToSend,
  signal: AbortSignal,
  { connectTimeoutMs, headersTimeoutMs, idleTimeoutMs }: RecordLimits,
): Promise<Sent> {
  let sentAtMs = clock.monotonicMs();
  const setSentAt = () => {
    sentAtMs = clock.monotonicMs();
  };
  const agent = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  });
  const dispatcher = agent.compose(
    (dispatch) => (options, handler) => dispatch(options, new RequestStartHandler(handler, setSentAt)),
  );
  const close = () => agent.destroy();
  try {
    const response = await request(url, {
      method: "POST",
      dispatcher,
      signal,
      headers: { "content-type": "application/json", "accept-encoding": "identity", ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.statusCode, headers: flatten(response.headers), body: response.body, sentAtMs, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type CaptureRequest = { provider: Provider; request: RequestToSend; signal?: AbortSignal; limits: RecordLimits };

/** Progress of a recording. */
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

/** Counts what arrives and notifies the listeners. */
class Meter {
  readonly progress: RecordProgress = { byteSize: 0, chunkCount: 0, elapsedMs: 0, firstTokenMs: null };
  readonly #listeners: Listeners;
  readonly #reader: EventReader | undefined;

  constructor(provider: Provider, { status, headers }: Sent, listeners: Listeners) {
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

function outcomeOfStatus({ status, headers }: Sent, { chunks }: BodyRead, input: CaptureRequest): Outcome {
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString("utf8");
  const { url } = input.request;
  return { end: "error", problem: explainStatus(input.provider, { status, headers, body, url }) };
}

function outcomeOfAnswer(sent: Sent, read: BodyRead, input: CaptureRequest, listeners: Listeners): Outcome {
  const { provider, limits } = input;
  const { url } = input.request;
  const { failure, chunks } = read;
  const { events, answer, error, isEnded } = readRecordedAnswer(provider, { headers: sent.headers, chunks });
  const type = sent.headers["content-type"];
  const isStream = framingOf(type) !== "json";
  if (answer) listeners.onAnswer?.(answer, isStream);
  if (error) {
    const description = describeProviderError(error) || "an error without a message";
    const message = `The provider ended the stream with ${description} (after ${events.length - 1} events). Try again.`;
    return { end: "error", problem: new RecordError("stream-error", message) };
  }
  if (isEnded) return { end: "complete", problem: undefined };
  if (failure !== undefined) return { end: "truncated", problem: explainFailure(failure, url, limits) };
  if (!(isStream && events.length === 0) && !events.some(({ json }) => json && provider.isAnswer(json))) {
    const message = `${url.host} responded with ${sent.status} and ${type ?? "no content type"}, but not with an answer of ${provider.title}. Does it support ${url.pathname}?`;
    throw new RecordError("answer", message);
  }
  const message = `${url.host} ended the response before the answer was complete, after ${events.length} events. Try again.`;
  return { end: "truncated", problem: new RecordError("cut", message) };
}

/** Throws failures after which there is nothing to keep. */
function throwUnlessKept(failure: unknown): void {
  if (failure instanceof RecordError && failure.kind !== "cut" && failure.kind !== "timeout") throw failure;
}

/** Sends a request and measures its response. Throws RecordError if there is no response that could be kept. */
export async function capture(clock: Clock, input: CaptureRequest, listeners: Listeners): Promise<Capture> {
  const { provider, request, limits } = input;
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
    const sent = await sendRequest(clock, request, signal, limits).catch((error) => {
      checkInterrupt();
      throw explainFailure(signal.aborted ? signal.reason : error, request.url, limits);
    });
    const { status, headers, sentAtMs } = sent;
    const meter = new Meter(provider, sent, listeners);
    const contentEncoding = headers["content-encoding"];
    const onChunk = (chunk: TimedChunk) => meter.add(chunk);
    const read = await readBody(clock, sent.body, { contentEncoding, sentAtMs, limits, onChunk }).finally(sent.close);
    checkInterrupt();
    throwUnlessKept(read.failure);
    const outcome = status < 300 ? outcomeOfAnswer(sent, read, input, listeners) : outcomeOfStatus(sent, read, input);
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
