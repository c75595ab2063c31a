/** Runs once when a server starts: checks the configuration and registers the handler that runs before Next. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { startServer } = await import("#lib/server/http/start-server");
    const { endpoints } = await import("#app/endpoints");
    await startServer(endpoints);
  }
}

/** Logs errors that Next caught, including streams that failed midway. */
export async function onRequestError(error: unknown, request: { path: string; method: string }): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { logRequestError } = await import("#lib/server/http/start-server");
    logRequestError(error, request);
  }
}
