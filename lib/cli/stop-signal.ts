/** Aborted by Ctrl-C or a termination, once; a second Ctrl-C ends the process. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error("stopped"));
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  return controller.signal;
}
