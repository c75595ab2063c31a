import type { Clock } from "#lib/platform/clock";
import { OutboundError, type OutboundReason } from "#lib/platform/outbound/index";

/** Machine-readable reason why a fetch returned no file. */
export type FetchFailure =
  | "http_404"
  | "http_410"
  | "http_429"
  /** Any other 4xx. */
  | "http_4xx"
  | "http_5xx"
  /** A status that does not fit the request, such as a 304 to an unconditional one, or a redirect without a target. */
  | "http_unexpected"
  /** By its type or its bytes the response is not text. */
  | "not_text"
  /** An HTML page instead of the file, whatever its status and type say. */
  | "html"
  /** No content, or nothing but white space. */
  | "empty"
  /** An OpenAPI document or a catalogue of models that cannot be read as one. */
  | "unreadable"
  /** A catalogue of models that has lost a third of them, or, twice at most, a file that has lost nearly all lines. */
  | "shrunk"
  /** The robots.txt of the vendor, or of a redirect's target, disallows the URL. */
  | "robots_disallowed"
  /** robots.txt could not be read, so nothing may be fetched for now. */
  | "robots_unreachable"
  /** The run reached its own deadline; says nothing about the vendor. */
  | "deadline"
  /** The headers or the body did not arrive in time. */
  | "timeout"
  /** As reported by the guarded fetch. */
  | Exclude<OutboundReason, "headers_timeout" | "timeout">;

/** Whether a failure was caused by this run (aborted, or out of time) and says nothing about the vendor. */
export function isRunFailure(failure: FetchFailure): boolean {
  return failure === "aborted" || failure === "deadline";
}

/** Thrown to prevent a request from being sent. */
export class FetchBlockedError extends Error {
  override readonly name = "FetchBlockedError";

  constructor(
    readonly failure: FetchFailure,
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** Network failures that may be temporary. A body that took too long would do so again, so `timeout` is not one of them. */
const transientReasons: readonly OutboundReason[] = ["dns_failed", "connect_failed", "headers_timeout", "cut"];

type ExplainedFailure = { failure: FetchFailure; detail: string; retryAfterMs: number | null; isTransient: boolean };

/** Returns what an error of a fetch means. Rethrows errors that neither the network nor robots.txt caused. */
export function explainFailure(
  error: unknown,
  { clock, deadlineMs, signal }: { clock: Clock; deadlineMs: number; signal?: AbortSignal },
): ExplainedFailure {
  const final = { retryAfterMs: null, isTransient: false };
  if (signal?.aborted) return { failure: "aborted", detail: "the fetch was aborted", ...final };
  if (error instanceof FetchBlockedError) {
    return { failure: error.failure, detail: error.message, retryAfterMs: error.retryAfterMs, isTransient: false };
  }
  if (!(error instanceof OutboundError)) throw error;
  const { reason, message: detail } = error;
  const isTimeout = reason === "timeout" || reason === "headers_timeout";
  if (isTimeout && clock.monotonicMs() >= deadlineMs) return { failure: "deadline", detail, ...final };
  const failure = isTimeout ? "timeout" : reason;
  return { failure, detail, retryAfterMs: null, isTransient: transientReasons.includes(reason) };
}
