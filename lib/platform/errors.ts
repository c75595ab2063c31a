/** Every machine-readable error code that a client can meet, with its HTTP status. */
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
  /** What really happened, for the log only. */
  cause?: unknown;
  /** Extra response headers, such as `Allow` or `Retry-After`. */
  headers?: Record<string, string>;
};

/** Marks an AppError in every copy of this module: the bundler makes one for `instrumentation.ts` and one for routes. */
const mark = Symbol.for("tapedeck.app-error");

/**
 * The one error type of the house. `publicMessage` reaches the client and says what to do;
 * `cause` reaches the log alone.
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

/** Text of a 500: never the real message, which stands in the log beside the request id. */
export const internalErrorMessage = "Something failed on our side. Quote the X-Request-Id header if you report it.";
