const signals = ["SIGINT", "SIGTERM"] as const;

/** Runs a command's work with a signal that Ctrl-C or SIGTERM aborts. A second Ctrl-C ends the process. */
export async function withStopSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error("stopped"));
  for (const name of signals) process.once(name, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of signals) process.removeListener(name, stop);
  }
}
