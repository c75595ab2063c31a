export type RecordErrorKind =
  | "provider"
  | "stream-error"
  | "cut"
  | "connection"
  | "timeout"
  | "answer"
  | "bound"
  | "interrupted";

/** A recording failed; the message says what happened and what to do. Nothing was written. */
export class RecordError extends Error {
  override readonly name = "RecordError";

  constructor(
    readonly kind: RecordErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
