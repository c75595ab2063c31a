/**
 * Runs once when a server starts: checks the configuration and registers the handler that runs before Next. On Vercel, no
 * server of ours runs; what is imported here becomes part of each function, so it is next to nothing there.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  if (process.env.TAPEDECK_BUILT_ON_VERCEL === "1") {
    const { startFunction } = await import("#lib/server/http/start-function");
    startFunction();
  } else {
    const { startServer } = await import("#lib/server/start-server");
    const { groups } = await import("#app/bindings");
    await startServer(groups);
  }
}

/** Logs errors that Next caught, including streams that failed midway. */
export async function onRequestError(error: unknown, request: { path: string; method: string }): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { logRequestError } = await import("#lib/server/http/start-function");
    logRequestError(error, request);
  }
}
