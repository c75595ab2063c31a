/** Every error code, with its HTTP status. */
export const statusByCode = {
  bad_request: 400,
  invalid_cursor: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusByCode;

type AppErrorOptions = {
  /** The actual error, for the log only. */
  cause?: unknown;
  /** Extra response headers, such as `Allow` or `Retry-After`. */
  headers?: Record<string, string>;
};

/** Marks an AppError across copies of this module: the bundler creates one for `instrumentation.ts` and one for routes. */
const mark = Symbol.for("tapedeck.app-error");

/**
 * An expected failure. `publicMessage` is sent to the client and says what to do; `cause` is only logged.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;
  readonly [mark] = true;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && mark in value;
  }

  constructor(code: ErrorCode, publicMessage: string, { cause, headers = {} }: AppErrorOptions = {}) {
    super(publicMessage, { cause });
    this.name = "AppError";
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return statusByCode[this.code];
  }
}

/** Names the variables that the operator has not set, for the log and the command line only. */
export class NotConfiguredError extends Error {
  override readonly name = "NotConfiguredError";
}

/**
 * Returns the error for a part of the server that is not configured. `publicMessage` says what that means for the caller;
 * `reason` names the variables to set.
 */
export function notConfigured(publicMessage: string, reason: string): AppError {
  const message = `${publicMessage} Only its operator can change that.`;
  return new AppError("service_unavailable", message, { cause: new NotConfiguredError(reason) });
}

/** Message of every unexpected error. The actual error is logged with the request id. */
export const internalErrorMessage = "An unexpected error occurred. Include the X-Request-Id header if you report it.";
