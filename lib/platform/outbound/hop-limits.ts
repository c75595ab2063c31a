import { onAbort } from "./on-abort";
import type { StartTimer } from "./options";
import { OutboundError } from "./outbound-error";

export const startSystemTimer: StartTimer = (timeoutMs, onTime) => {
  const timer = setTimeout(onTime, timeoutMs);
  return () => clearTimeout(timer);
};

export type HopLimits = {
  /** Aborted with an OutboundError when a time is over or the caller gives up. */
  signal: AbortSignal;
  /** The headers are here: only the whole time counts from now on. */
  headersArrived(): void;
  /** Stops the timers. */
  release(): void;
};

type Times = {
  host: string;
  headersTimeoutMs: number;
  totalTimeoutMs: number;
  signal: AbortSignal | undefined;
  startTimer: StartTimer;
};

/** Watches over one hop. `totalTimeoutMs` is what is left of the whole time. */
export function startHopLimits({ host, headersTimeoutMs, totalTimeoutMs, signal, startTimer }: Times): HopLimits {
  const controller = new AbortController();
  const stop = (reason: OutboundError["reason"], message: string) => () =>
    controller.abort(new OutboundError(reason, message));
  const giveUp = stop("aborted", `the request to ${host} was given up`);
  const stopTotal = startTimer(totalTimeoutMs, stop("timeout", `${host} did not finish its answer in time`));
  const stopHeaders = startTimer(
    headersTimeoutMs,
    stop("headers_timeout", `${host} did not begin to answer within ${headersTimeoutMs} ms`),
  );
  if (signal?.aborted) giveUp();
  const ignoreCaller = onAbort(signal, giveUp);
  return {
    signal: controller.signal,
    headersArrived: stopHeaders,
    release: () => {
      stopHeaders();
      stopTotal();
      ignoreCaller();
    },
  };
}

/** What an operation gives, or the signal's reason where that comes first; the operation itself goes on unheard. */
export async function unlessAborted<T>(signal: AbortSignal, operation: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let ignore = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    ignore = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([operation(), aborted]);
  } finally {
    ignore();
  }
}
