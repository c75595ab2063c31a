/** Runs once when a server starts: checks the configuration and hands the Node server its replay adapter. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { startServer } = await import("#lib/server/http/start-server");
    startServer();
  }
}

/** Logs what Next caught, a stream that fails midway included. */
export async function onRequestError(error: unknown, request: { path: string; method: string }): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { logRequestError } = await import("#lib/server/http/start-server");
    logRequestError(error, request);
  }
}
