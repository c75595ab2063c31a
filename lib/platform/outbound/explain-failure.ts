import { OutboundError, type OutboundReason } from "./outbound-error";

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
  cut: "the connection ended before the answer was complete",
  too_large: "the headers are too large",
  bad_answer: "what came is not HTTP",
};

const certificateCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|HOSTNAME_MISMATCH|EPROTO$)/;

function reasonOf(code: string): OutboundReason | undefined {
  if (certificateCodes.test(code)) return "tls_failed";
  return code.startsWith("HPE_") ? "bad_answer" : reasonByCode[code];
}

/** An error's code; where several addresses were tried, that of the first of them that has one. */
function codeOf(error: unknown): string | undefined {
  const { code, name, errors } = (error ?? {}) as { code?: unknown; name?: string; errors?: unknown[] };
  if (typeof code === "string") return code;
  // undici's parser often gives no code of its own.
  return name === "HTTPParserError" ? "HPE_UNKNOWN" : errors?.map(codeOf).find(Boolean);
}

/** Makes an OutboundError of a failure of the connection; what is none, such as a wrong header, comes back as it is. */
export function explainFailure(error: unknown, host: string): unknown {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const reason = code === undefined ? undefined : reasonOf(code);
  if (!reason) return error;
  return new OutboundError(reason, `${host}: ${messages[reason]} (${code})`, { cause: error });
}
