/** Thrown by `withTimeout` when the time is up. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** Its signal aborts when the time is up. It is made when it is first read, since most operations that have one need none. */
export type Timeout = { readonly signal: AbortSignal };

/**
 * Runs an operation and returns its result. Throws TimeoutError if it has not settled after `timeoutMs` milliseconds,
 * even if the operation ignores its signal. The signal is aborted with the platform's plain AbortError: some clients
 * retry after any other reason.
 */
export async function withTimeout<T>(timeoutMs: number, operation: (timeout: Timeout) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new TimeoutError(`no response within ${timeoutMs} ms`));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([operation(controller), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
