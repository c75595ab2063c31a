import { setMaxListeners } from "node:events";
import type { StartTimer } from "#lib/platform/timer";
import { OutboundError } from "./outbound-error";

/** Calls `action` once when a signal is aborted. Returns a function that cancels this. */
export function onAbort(signal: AbortSignal | undefined, action: () => void): () => void {
  if (!signal) return () => undefined;
  // A whole run shares one signal, so Node's warning about more than ten listeners would be wrong.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", action, { once: true });
  return () => signal.removeEventListener("abort", action);
}

type HopLimits = {
  /** Aborted with an OutboundError when a time limit is reached or the caller cancels. */
  signal: AbortSignal;
  /** Call when the headers have arrived: from then on only the total time is limited. */
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

/** Starts the time limits of one hop. `totalTimeoutMs` is the remaining total time. */
export function startHopLimits({ host, headersTimeoutMs, totalTimeoutMs, signal, startTimer }: Times): HopLimits {
  const controller = new AbortController();
  const stop = (reason: OutboundError["reason"], message: string) => () =>
    controller.abort(new OutboundError(reason, message));
  const cancel = stop("aborted", `the request to ${host} was cancelled`);
  const stopTotal = startTimer(totalTimeoutMs, stop("timeout", `${host} did not complete its response in time`));
  const stopHeaders = startTimer(
    headersTimeoutMs,
    stop("headers_timeout", `${host} did not start to respond within ${headersTimeoutMs} ms`),
  );
  if (signal?.aborted) cancel();
  const ignoreCaller = onAbort(signal, cancel);
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

/** Returns the result of an operation, or throws the signal's reason if that comes first; its result is then ignored. */
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
