import { AppError } from "#lib/platform/errors";
import { secondMs } from "#lib/platform/time";
import { statusByErrorName } from "#lib/replay/cassettes/index";
import { type Provider, providerRequestId } from "#lib/replay/providers/index";
import { type AnswerFaults, type Ending, endings, maxFaultCount, maxStallMs } from "./answer-faults";
import type { Replay } from "./open-replay";

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

/** What a request asks for: an error in place of the answer, or faults of the answer. */
export type Faults = AnswerFaults & { error?: AskedError };

/** Where a request names its faults, such as `The header x-replay-fault`. */
type Place = string;
const headerPlace = "The header x-replay-fault";

function invalid(text: string, place: Place): AppError {
  const count = `<0 to ${maxFaultCount}>`;
  const time = `<up to ${maxStallMs / 1000}s or ${maxStallMs}ms>`;
  const known = `status=<400 to 599>, cut-after-event=${count}, error-after-event=${count}, end-after-event=${count}, stall=${time}, first-byte=${time}, jitter=${time} and rechunk=<1 to ${maxFaultCount} bytes>`;
  const details = `status can be followed by ;retry-after=<0 to ${maxRetryAfterS}>, ;code=<the provider's code> and ;message=<text, percent-encoded>, jitter by ;seed=<number>`;
  return new AppError("bad_request", `${place} has "${text.slice(0, 100)}". It takes ${known}; ${details}.`);
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

/** Parses `5s` and `500ms`, up to the longest pause; undefined for any other text. */
function parseMs(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,5}(?:\.\d{1,3})?)(m?s)$/.exec(text) ?? [];
  const ms = Number(number) * (unit === "s" ? 1000 : 1);
  return ms > 0 && ms <= maxStallMs ? ms : undefined;
}

const endingOf = new Map<string, Ending>(Object.entries(endings));

/** Returns the name of a fault, and the fault. */
function parseFault(text: string, provider: Provider, place: Place): [kind: string, fault: Faults] {
  const [, kind = "", value = "", rest = ""] = /^([a-z-]+)=([\w.]+)((?:;.+)?)$/.exec(text) ?? [];
  const count = /^\d{1,10}$/.test(value) && Number(value) <= maxFaultCount ? Number(value) : undefined;
  const ms = parseMs(value);
  const status = statusOfError(value, provider);
  const details = parseDetails(rest);
  if (kind === "status" && status !== undefined && details)
    return [kind, { error: withDefaults({ ...details, status }) }];
  const [, seed] = /^(?:;seed=(\d{1,9}))?$/.exec(rest) ?? ["", null];
  if (kind === "jitter" && ms !== undefined && seed !== null)
    return [kind, { jitterMs: Math.ceil(ms), seed: Number(seed ?? 0) }];
  if (rest !== "") throw invalid(text, place);
  const ending = endingOf.get(kind);
  if (ending && count !== undefined) return [kind, { afterEvent: count, do: ending }];
  if (kind === "stall" && ms !== undefined) return [kind, { stallMs: ms }];
  if (kind === "first-byte" && ms !== undefined) return [kind, { firstByteMs: ms }];
  if (kind === "rechunk" && count !== undefined && count >= 1) return [kind, { rechunk: count }];
  throw invalid(text, place);
}

/** Providers say with a 429 when to ask again. */
export function withDefaults(asked: AskedError): AskedError {
  return asked.status === 429 && asked.retryAfterS === undefined ? { ...asked, retryAfterS: 1 } : asked;
}

/** Parses faults separated by commas, each kind once. Throws AppError bad_request. */
export function parseFaults(list: string | null, provider: Provider, place: Place = headerPlace): Faults {
  if (list === null) return {};
  const faults = new Map<string, Faults>();
  for (const text of list.split(",")) {
    const [kind, fault] = parseFault(text.trim(), provider, place);
    if (faults.has(kind)) throw new AppError("bad_request", `${place} has ${kind} twice. Send each kind once.`);
    faults.set(kind, fault);
  }
  const others = [...faults.keys()].filter((kind) => kind !== "status");
  if (faults.has("status") && others.length > 0) {
    const message = `${place} has status with ${others.join(", ")}. An error is sent at once and whole, so the others would do nothing: send status alone.`;
    throw new AppError("bad_request", message);
  }
  const ends = others.filter((kind) => endingOf.has(kind));
  if (ends.length > 1)
    throw new AppError("bad_request", `${place} ends the stream in several ways: ${ends.join(", ")}. Send one.`);
  return Object.assign({}, ...faults.values());
}
