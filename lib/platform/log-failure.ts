import { AppError } from "./errors";
import type { Log } from "./log";

/** Names and codes of the errors of Node.js and Next.js after a client has disconnected. */
const disconnects = new Set(["AbortError", "ResponseAborted", "ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE"]);

/** Whether an error of reading a request or sending a response means that the client has disconnected. */
export function isDisconnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return disconnects.has(error.name) || (code !== undefined && disconnects.has(code)) || isDisconnect(error.cause);
}

/** Returns the message of an error, or of the cause of an AppError, in one line. */
function reasonOf(error: unknown): string {
  const cause = error instanceof AppError ? (error.cause ?? error) : error;
  return (cause instanceof Error ? cause.message : String(cause)).trim().replaceAll(/\s*\n\s*/g, " ");
}

/**
 * Logs a failed request. An expected failure (a part that is not configured or does not answer) is one line at level
 * warn. Everything else is an error, with its stack.
 */
export function logFailure(log: Log, error: unknown, fields: Record<string, unknown>, message: string): void {
  const isExpected = error instanceof AppError && (error.code === "service_unavailable" || error.cause === undefined);
  if (isExpected) log.warn({ ...fields, reason: reasonOf(error) }, message);
  else log.error({ ...fields, err: error instanceof AppError ? (error.cause ?? error) : error }, message);
}

/** Logs the first failure of a repeated task at level warn, and the next success at level info. */
export class OutageLog {
  readonly #log: Log;
  readonly #messages: { failed: string; works: string };
  #hasFailed = false;

  constructor(log: Log, messages: { failed: string; works: string }) {
    this.#log = log;
    this.#messages = messages;
  }

  failed(error: unknown): void {
    if (!this.#hasFailed) this.#log.warn({ reason: reasonOf(error) }, this.#messages.failed);
    this.#hasFailed = true;
  }

  succeeded(): void {
    if (this.#hasFailed) this.#log.info(this.#messages.works);
    this.#hasFailed = false;
  }
}
