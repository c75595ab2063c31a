import { AppError } from "#lib/platform/errors";
import { secondMs } from "#lib/platform/time";
import { endsOf, statusByErrorName } from "#lib/replay/cassettes/index";
import { framingOf, type Provider, providerRequestId } from "#lib/replay/providers/index";
import { type Replay, withSchedule } from "./open-replay";

/** An error that a test asks for in place of an answer. */
export type AskedError = {
  /** 400 to 599. */
  status: number;
  retryAfterS?: number | undefined;
  /** The provider's own code, such as `insufficient_quota`. Default: that of the status. */
  code?: string | undefined;
  message?: string | undefined;
};

export type SimulatedError = { status: number; headers: Record<string, string>; body: string };

/**
 * Returns an error in a provider's format, with the headers that retry code reads: when to ask again, and for 429 the limits
 * that were reached. `asker` is what asks for it: a request or a test.
 */
export function simulateError(
  provider: Provider,
  { status, retryAfterS, code, message }: AskedError,
  { asker, requestId }: { asker: "request" | "test"; requestId: string },
): SimulatedError {
  const text = message ?? `Tapedeck sends this ${status}, because the ${asker} asks for it.`;
  const resetAt = new Date(Date.now() + (retryAfterS ?? 0) * secondMs);
  return {
    status,
    headers: {
      "content-type": "application/json",
      // Every response of the server has X-Request-Id, the id in its log.
      ...(provider.requestIdHeader === "x-request-id" ? {} : { [provider.requestIdHeader]: requestId }),
      ...(status === 429 ? provider.limitHeaders?.(resetAt) : {}),
      ...(retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) }),
    },
    body: JSON.stringify(provider.errorBody({ status, message: text, requestId, code, retryAfterS })),
  };
}

/** Anthropic has a status of its own for this error. */
const anthropicOverloaded = 529;
/** Longest pause that a fault can cause: one minute, in milliseconds. */
export const maxStallMs = 60_000;
/** Most pieces that `rechunk` may make. */
const maxPieceCount = 100_000;

/** Most events and bytes that a fault may name. */
const maxCount = 999_999;

/** Returns the status of an error named in a sequence or fault: `overloaded` or `529`; undefined for any other text. */
export function statusOfError(text: string, provider: Provider): number | undefined {
  if (text === "overloaded" && provider.name === "anthropic") return anthropicOverloaded;
  if (/^[45]\d\d$/.test(text)) return Number(text);
  return statusByErrorName.get(text);
}

/** Returns the error that a request asks for, in the provider's format. */
export function openError(provider: Provider, asked: AskedError, requestId: string): Replay {
  const id = providerRequestId(requestId);
  const { status, headers, body } = simulateError(provider, asked, { asker: "request", requestId: id });
  const { "content-type": contentType, ...others } = headers;
  return {
    status,
    headers: { "Content-Type": contentType ?? "application/json", "Cache-Control": "no-store", ...others },
    schedule: {
      frames: [Buffer.from(body)],
      dueMs: new Float64Array(1),
      from: 0,
      offsetMs: 0,
      speed: 1,
      cutAtEnd: false,
    },
  };
}

/** What is done with an answer, in the order of the members. */
export type AnswerFaults = {
  /** Number of events after which the connection is cut. */
  afterEvent?: number | undefined;
  /** Pause after the first frame. */
  stallMs?: number | undefined;
  /** Size of the pieces, in bytes. */
  rechunk?: number | undefined;
};

/** What a request asks for: an error in place of the answer, or faults of the answer. */
export type Faults = AnswerFaults & { error?: AskedError };

function invalid(text: string): AppError {
  const known = `status=<400 to 599>, cut-after-event=<0 to ${maxCount}>, stall=<up to ${maxStallMs / 1000}>s and rechunk=<1 to ${maxCount} bytes>`;
  const details = `status can be followed by ;retry-after=<0 to ${maxRetryAfterS}>, ;code=<the provider's code> and ;message=<text, percent-encoded>`;
  return new AppError(
    "bad_request",
    `The header x-replay-fault has "${text.slice(0, 100)}". It takes ${known}; ${details}.`,
  );
}

/** Bounds of what an error says. */
const [maxRetryAfterS, maxMessageLength] = [3600, 1_000];

function decodeMessage(text: string): string | undefined {
  try {
    return decodeURIComponent(text).slice(0, maxMessageLength);
  } catch {
    return undefined;
  }
}

/** Parses `retry-after=2;code=insufficient_quota;message=…`; undefined if a part is none of these. */
function parseDetails(text: string): Omit<AskedError, "status"> | undefined {
  const details: Omit<AskedError, "status"> = {};
  for (const part of text.split(";").filter(Boolean)) {
    const [, name, value = ""] = /^\s*([a-z-]+)=(.+)$/.exec(part) ?? [];
    const seconds =
      /^\d{1,4}(?:\.\d{1,3})?$/.test(value) && Number(value) <= maxRetryAfterS ? Number(value) : undefined;
    const message = name === "message" ? decodeMessage(value) : undefined;
    if (name === "retry-after" && seconds !== undefined) details.retryAfterS = seconds;
    else if (name === "code" && /^[\w.-]{1,100}$/.test(value)) details.code = value;
    else if (message !== undefined) details.message = message;
    else return undefined;
  }
  return details;
}

/** Returns the name of a fault in the header, and the fault. */
function parseFault(text: string, provider: Provider): [kind: string, fault: Faults] {
  const [, kind = "", value = "", rest = ""] = /^([a-z-]+)=([\w.]+)((?:;.+)?)$/.exec(text) ?? [];
  const count = /^\d{1,10}$/.test(value) && Number(value) <= maxCount ? Number(value) : undefined;
  const [, seconds] = /^(\d{1,2}(?:\.\d{1,3})?)s$/.exec(value) ?? [];
  const status = statusOfError(value, provider);
  const details = parseDetails(rest);
  if (kind === "status" && status !== undefined && details)
    return [kind, { error: withDefaults({ ...details, status }) }];
  if (rest !== "") throw invalid(text);
  const stallMs = Number(seconds) * 1000;
  if (kind === "cut-after-event" && count !== undefined) return [kind, { afterEvent: count }];
  if (kind === "stall" && stallMs > 0 && stallMs <= maxStallMs) return [kind, { stallMs }];
  if (kind === "rechunk" && count !== undefined && count >= 1) return [kind, { rechunk: count }];
  throw invalid(text);
}

/** Providers say with a 429 when to ask again. */
export function withDefaults(asked: AskedError): AskedError {
  return asked.status === 429 && asked.retryAfterS === undefined ? { ...asked, retryAfterS: 1 } : asked;
}

/** Parses the header `x-replay-fault`: faults separated by commas, each kind once. Throws AppError bad_request. */
export function parseFaults(header: string | null, provider: Provider): Faults {
  if (header === null) return {};
  const faults = new Map<string, Faults>();
  for (const text of header.split(",")) {
    const [kind, fault] = parseFault(text.trim(), provider);
    if (faults.has(kind)) {
      throw new AppError("bad_request", `The header x-replay-fault has ${kind} twice. Send each kind once.`);
    }
    faults.set(kind, fault);
  }
  const others = [...faults.keys()].filter((kind) => kind !== "status");
  if (faults.has("status") && others.length > 0) {
    const message = `The header x-replay-fault has status with ${others.join(", ")}. An error is sent at once and whole, so the others would do nothing: send status alone.`;
    throw new AppError("bad_request", message);
  }
  return Object.assign({}, ...faults.values());
}

/** Returns the byte offset after each event; those of JSON lines are lines. Null for a body that is no stream. */
export function eventEnds(body: Uint8Array, contentType: string | undefined): number[] | null {
  const framing = framingOf(contentType);
  return framing === "json" ? null : endsOf(body, framing);
}

/** Cuts the connection after `count` events, or in the middle of a body that is no stream. Throws AppError bad_request. */
function cutAfter(replay: Replay, count: number): Replay {
  const { frames, dueMs } = replay.schedule;
  const body = Buffer.concat(frames as Uint8Array[]);
  const ends = eventEnds(body, replay.headers["Content-Type"]);
  const end = ends ? [0, ...ends][count] : body.length >> 1;
  if (end === undefined) {
    const message = `cut-after-event=${count} would cut nothing: this answer has ${ends?.length} events. Ask for fewer.`;
    throw new AppError("bad_request", message);
  }
  let left = end;
  const kept: Uint8Array[] = [];
  for (const frame of frames) {
    if (left <= 0) break;
    kept.push(frame.subarray(0, left));
    left -= frame.length;
  }
  return withSchedule(replay, { frames: kept, dueMs: dueMs.slice(0, kept.length), cutAtEnd: true });
}

/** Delays each frame, in addition to its own time, by as long at any speed. */
export function delayFrames(replay: Replay, delayMsOf: (index: number) => number): Replay {
  const { dueMs, speed } = replay.schedule;
  const isAtOnce = !Number.isFinite(speed);
  const played = isAtOnce ? 1 : speed;
  // The schedule is divided by the speed when it is played; the delays are not to be.
  const delayed = dueMs.map((due, index) => (isAtOnce ? 0 : due) + delayMsOf(index) * played);
  return withSchedule(replay, { dueMs: delayed, speed: played });
}

/** Pauses after the first frame: the stream has begun, and then nothing comes. */
function stall(replay: Replay, ms: number): Replay {
  const { length } = replay.schedule.frames;
  return delayFrames(replay, (index) => (index === 0 && length > 1 ? 0 : ms));
}

/** Divides the frames into pieces of this size, so that events and characters arrive in parts. Throws AppError bad_request. */
function rechunk(replay: Replay, byteSize: number): Replay {
  const { frames, dueMs } = replay.schedule;
  const count = frames.reduce((sum, frame) => sum + Math.ceil(frame.length / byteSize), 0);
  if (count === frames.length) {
    const message = `rechunk=${byteSize} would divide nothing: no piece of this response is larger. Ask for smaller ones.`;
    throw new AppError("bad_request", message);
  }
  if (count > maxPieceCount) {
    const message = `rechunk=${byteSize} would make ${count} pieces of this response, and ${maxPieceCount} are the most. Ask for larger ones.`;
    throw new AppError("bad_request", message);
  }
  const pieces = frames.flatMap((frame, index) =>
    Array.from({ length: Math.ceil(frame.length / byteSize) }, (_, piece) => ({
      bytes: frame.subarray(piece * byteSize, (piece + 1) * byteSize),
      due: dueMs[index] as number,
    })),
  );
  return withSchedule(replay, {
    frames: pieces.map(({ bytes }) => bytes),
    dueMs: Float64Array.from(pieces, ({ due }) => due),
  });
}

const appliers = { afterEvent: cutAfter, stallMs: stall, rechunk };

/** Returns a replay with faults that a request asks for, to test how a client handles them. Other members are ignored. */
export function applyFaults(replay: Replay, faults: AnswerFaults): Replay {
  return Object.entries(faults).reduce((changed, [name, value]) => {
    const isFault = value !== undefined && Object.hasOwn(appliers, name);
    return isFault ? appliers[name as keyof AnswerFaults](changed, value) : changed;
  }, replay);
}
