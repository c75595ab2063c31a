const events = ["SIGINT", "SIGTERM", "disconnect"] as const;

/**
 * Runs a command's work with a signal that Ctrl-C or SIGTERM aborts, and the end of the launcher that started it. A second
 * Ctrl-C ends the process.
 */
export async function withStopSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error("stopped"));
  for (const name of events) process.once(name, stop);
  // The launcher may have ended while this process was starting.
  if (process.connected === false) stop();
  try {
    return await work(controller.signal);
  } finally {
    for (const name of events) process.removeListener(name, stop);
  }
}
