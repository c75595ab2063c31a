/** Why a request got no response. */
export type OutboundReason =
  /** Not an absolute http(s) URL, one with a user or password, or too long. */
  | "invalid_url"
  /** The name, the port or one of its addresses is not public. */
  | "refused_address"
  | "dns_failed"
  | "connect_failed"
  | "tls_failed"
  /** The headers did not arrive in time, including the DNS lookup and connecting. */
  | "headers_timeout"
  /** The response was not complete in time. */
  | "timeout"
  /** The headers or the body, compressed or not, exceeded their limit. */
  | "too_large"
  | "too_many_redirects"
  /** A redirect to a URL that was already requested. */
  | "redirect_loop"
  /** A content encoding that was not requested, or a body that is not valid in its encoding. */
  | "bad_encoding"
  /** The response is not HTTP. */
  | "bad_answer"
  /** The connection ended before the response was complete. */
  | "cut"
  /** The caller's signal was aborted. */
  | "aborted";

/** A request got no response. The message is for operators: it names the host, but never a path, query or header. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  /** Requests sent, including redirects. */
  requestCount = 0;

  constructor(
    readonly reason: OutboundReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const reasonByCode: Readonly<Record<string, OutboundReason>> = {
  ENOTFOUND: "dns_failed",
  EAI_AGAIN: "dns_failed",
  ECONNREFUSED: "connect_failed",
  EHOSTUNREACH: "connect_failed",
  ENETUNREACH: "connect_failed",
  EADDRNOTAVAIL: "connect_failed",
  ETIMEDOUT: "connect_failed",
  UND_ERR_CONNECT_TIMEOUT: "connect_failed",
  ECONNRESET: "cut",
  EPIPE: "cut",
  UND_ERR_SOCKET: "cut",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "cut",
  UND_ERR_ABORTED: "cut",
  UND_ERR_HEADERS_OVERFLOW: "too_large",
};

const messages: Partial<Record<OutboundReason, string>> = {
  dns_failed: "the name was not found (DNS)",
  connect_failed: "no connection was possible",
  tls_failed: "no secure connection was possible",
  cut: "the connection ended before the response was complete",
  too_large: "the headers are too large",
  bad_answer: "the response is not HTTP",
};

const certificateCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|HOSTNAME_MISMATCH|EPROTO$)/;

function reasonOf(code: string): OutboundReason | undefined {
  if (certificateCodes.test(code)) return "tls_failed";
  return code.startsWith("HPE_") ? "bad_answer" : reasonByCode[code];
}

/** Returns the code of an error; if several addresses were tried, the first code among them. */
function codeOf(error: unknown): string | undefined {
  const { code, name, errors } = (error ?? {}) as { code?: unknown; name?: string; errors?: unknown[] };
  if (typeof code === "string") return code;
  // undici's parser errors often have no code.
  return name === "HTTPParserError" ? "HPE_UNKNOWN" : errors?.map(codeOf).find(Boolean);
}

/** Returns an OutboundError for a failed connection. Other errors, such as an invalid header, are returned unchanged. */
export function explainFailure(error: unknown, host: string): unknown {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const reason = code === undefined ? undefined : reasonOf(code);
  if (!reason) return error;
  return new OutboundError(reason, `${host}: ${messages[reason]} (${code})`, { cause: error });
}
