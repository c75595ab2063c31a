/**
 * Gives an operation a time. Its signal is aborted with an AbortError, for which @vercel/blob stops trying again
 * (for a TimeoutError it does not); and its answer is not waited for, since it waits between its tries.
 */
export async function withDeadline<T>(timeoutMs: number, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${timeoutMs} ms`));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([operation(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
