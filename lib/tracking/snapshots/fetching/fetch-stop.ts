import { OutboundError, type OutboundReason } from "#lib/platform/outbound/index";
import type { FetchContext, FetchFailure } from "./file-fetch";

/** Ends a fetch before a hop is sent. */
export class FetchStop extends Error {
  override readonly name = "FetchStop";

  constructor(
    readonly failure: FetchFailure,
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** Failures of the network that may pass. A body that took all its time once would take it again. */
const transientReasons: readonly OutboundReason[] = ["dns_failed", "connect_failed", "headers_timeout", "cut"];

export type ExplainedStop = {
  failure: FetchFailure;
  detail: string;
  retryAfterMs: number | null;
  isTransient: boolean;
};

/** What an error of a fetch means. Throws the error itself where it is none of the network's. */
export function explainStop(error: unknown, { clock, deadlineMs, signal }: FetchContext): ExplainedStop {
  const final = { retryAfterMs: null, isTransient: false };
  if (signal?.aborted) return { failure: "aborted", detail: "the fetch was given up", ...final };
  if (error instanceof FetchStop) {
    return { failure: error.failure, detail: error.message, retryAfterMs: error.retryAfterMs, isTransient: false };
  }
  if (!(error instanceof OutboundError)) throw error;
  const { reason, message: detail } = error;
  const isTimeout = reason === "timeout" || reason === "headers_timeout";
  if (isTimeout && clock.monotonicMs() >= deadlineMs) return { failure: "deadline", detail, ...final };
  const failure = isTimeout ? "timeout" : reason;
  return { failure, detail, retryAfterMs: null, isTransient: transientReasons.includes(reason) };
}
