/** Why a request got no answer, for a program. */
export type OutboundReason =
  /** Not an absolute http(s) URL, one with a user or password, or too long. */
  | "invalid_url"
  /** The name, the port or one of its addresses is not public. */
  | "refused_address"
  | "dns_failed"
  | "connect_failed"
  | "tls_failed"
  /** The headers did not come in time; looking the name up and connecting count towards it. */
  | "headers_timeout"
  /** The whole answer did not come in time. */
  | "timeout"
  /** The headers or the body, compressed or not, passed their bound. */
  | "too_large"
  | "too_many_redirects"
  /** A redirect back to an address that was visited already. */
  | "redirect_loop"
  /** A content encoding that was not asked for, or a body that does not follow its own. */
  | "bad_encoding"
  /** What came is not HTTP. */
  | "bad_answer"
  /** The connection ended before the answer was complete. */
  | "cut"
  /** The caller's signal was aborted. */
  | "aborted";

/** A request got no answer. The message is for operators: it names the host, never a path, query or header. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  /** Requests begun until then, redirects included. */
  requestCount = 0;

  constructor(
    readonly reason: OutboundReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
