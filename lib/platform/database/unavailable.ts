import { AppError } from "#lib/platform/errors";

/** Header that says in how many seconds to try again. */
export const retryAfter = { "Retry-After": "5" };

/** The database did not answer in time, or could not be reached. An AppError service_unavailable with `Retry-After`. */
export class DatabaseUnavailableError extends AppError {
  /** Prisma replaces errors that have a code by its own, but keeps this field; `restoreUnavailable` reads it. */
  readonly meta: { unavailable: DatabaseUnavailableError };

  constructor(cause?: unknown) {
    super("service_unavailable", "The database does not answer. Try again in a few seconds.", {
      cause,
      headers: retryAfter,
    });
    this.meta = { unavailable: this };
  }
}

/** Returns the DatabaseUnavailableError that Prisma replaced by one of its own, else the given error. */
export function restoreUnavailable(error: unknown): unknown {
  const { meta } = (error ?? {}) as { meta?: { unavailable?: unknown } };
  return meta?.unavailable ?? error;
}

/** Kinds of adapter-pg's errors. */
const unavailableKinds = new Set(["DatabaseNotReachable", "ConnectionClosed", "SocketTimeout", "TooManyConnections"]);
/** Classes and codes of PostgreSQL's errors: connection failed, cancelled by a time-out, shutting down or starting. */
const unavailableState = /^(08...|57014|57P0[1-5])$/;
/** Messages of pg's own errors, which have no code: time-outs, and connections that broke. */
const brokenConnection = /timeout|^Connection terminated|is not queryable$|^Socket|EPIPE/;
/** Codes of the operating system. */
const systemCode = /^E[A-Z_]+$/;

/** Whether an error of adapter-pg means that the database could not be reached or did not answer in time. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause, code } = error as Error & { code?: unknown };
  const { kind, originalCode } = (cause ?? {}) as { kind?: unknown; originalCode?: unknown };
  if (typeof kind === "string") return unavailableKinds.has(kind) || unavailableState.test(String(originalCode));
  if (typeof code === "string" && (systemCode.test(code) || unavailableState.test(code))) return true;
  return brokenConnection.test(error.message);
}
