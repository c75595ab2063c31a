import type { Provider } from "#lib/replay/providers/index";
import { codeOf } from "../write-file";
import type { RecordLimits } from "./limits";

type RecordErrorKind =
  | "provider"
  | "stream-error"
  | "cut"
  | "connection"
  | "timeout"
  | "answer"
  | "bound"
  | "interrupted";

/** A recording failed, and nothing was written; the message says what happened and what to do. */
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

type Response = { status: number; headers: Record<string, string>; body: string; url: URL };

/** Longest quoted text of a provider, in characters. */
const maxTextLength = 300;

/** Returns a provider's text on one line and without terminal control characters. */
function plainLine(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, " ").trim();
  return line.length > maxTextLength ? `${line.slice(0, maxTextLength)}…` : line;
}

/** Returns the body of a provider's error as text, such as `overloaded_error: Overloaded`. */
export function describeProviderError(body: unknown): string {
  const { error = body } = (body ?? {}) as { error?: unknown };
  if (typeof error === "string") return plainLine(error);
  const { type, status, code, message } = (error ?? {}) as Record<string, unknown>;
  const kind = [type, status, code].find((name) => typeof name === "string" && name !== "");
  const parts = [kind, message].filter((part) => typeof part === "string" && part !== "") as string[];
  return plainLine(parts.join(": "));
}

function describeBody(body: string): string {
  try {
    return describeProviderError(JSON.parse(body)) || plainLine(body);
  } catch {
    return plainLine(body.replace(/<[^>]{0,500}>/g, " "));
  }
}

function advice({ upstream }: Provider, { status, headers, url }: Response): string {
  const keys = upstream.keyVariables.join(" or ") || "the server's settings";
  const retryAfter = headers["retry-after"];
  const wait =
    retryAfter === undefined ? "Try again later" : `Try again after ${plainLine(retryAfter)} s (retry-after)`;
  if (status === 401) return `The API key was rejected. Check ${keys}`;
  if (status === 403) return `The API key lacks permission. Check its permissions and ${keys}`;
  if (status === 404) return `Check the model name and --base-url (the request was sent to ${url.href})`;
  if (status === 413) return "The request is too large. Shorten the prompt";
  if (status === 429) return `The rate limit was exceeded. ${wait}`;
  if (status === 529) return `The provider is overloaded. ${wait}`;
  if (status >= 500) return `The provider failed. ${wait}`;
  if (status >= 400) return "Change the request";
  const location = headers.location === undefined ? "" : ` to ${plainLine(headers.location)}`;
  return `It redirects${location}. Give the final URL with --base-url`;
}

/** Explains a response that is not a stream, quoting the provider. */
export function explainStatus(provider: Provider, response: Response): RecordError {
  const description = describeBody(response.body);
  const quote = description === "" ? "" : ` (${description})`;
  return new RecordError(
    "provider",
    `${response.url.host} responded with ${response.status}${quote}. ${advice(provider, response)}.`,
  );
}

/** Yields an error and its causes, outermost first. An `AggregateError` has one error per address that was tried. */
function* causesOf(error: unknown): Generator<unknown> {
  let current = error;
  for (let depth = 0; current instanceof Error && depth < 8; depth += 1) {
    yield current;
    if (current instanceof AggregateError) yield* current.errors;
    current = current.cause;
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

const certificateCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|EPROTO$)/;

/** Turns a connection failure into a RecordError that says what to do. `url` must not contain secrets. */
export function explainFailure(error: unknown, url: URL, limits: RecordLimits): RecordError {
  if (error instanceof RecordError) return error;
  const codes = [...causesOf(error)].map(codeOf).filter((code) => code !== undefined);
  const { host, hostname } = url;
  const explain = (kind: RecordError["kind"], message: string) => new RecordError(kind, message, { cause: error });
  for (const code of codes) {
    switch (code) {
      case "ECONNREFUSED":
        return explain(
          "connection",
          `${host} refused the connection. Check --base-url and that the server is running.`,
        );
      case "ENOTFOUND":
      case "EAI_AGAIN":
        return explain(
          "connection",
          `The host name ${hostname} was not found (DNS). Check --base-url and your network.`,
        );
      case "EHOSTUNREACH":
      case "ENETUNREACH":
        return explain("connection", `${host} is unreachable (${code}). Check your network.`);
      case "UND_ERR_CONNECT_TIMEOUT":
      case "ETIMEDOUT": {
        const wait = seconds(limits.connectTimeoutMs);
        return explain(
          "timeout",
          `${host} did not accept the connection within ${wait}. Check --base-url and your network.`,
        );
      }
      case "UND_ERR_HEADERS_TIMEOUT": {
        const wait = seconds(limits.headersTimeoutMs);
        return explain(
          "timeout",
          `${host} accepted the request but did not start to respond within ${wait}. Try again later.`,
        );
      }
      case "UND_ERR_BODY_TIMEOUT": {
        const wait = seconds(limits.idleTimeoutMs);
        return explain("timeout", `${host} stopped sending in the middle of the response for ${wait}. Try again.`);
      }
      case "ECONNRESET":
      case "EPIPE":
      case "UND_ERR_SOCKET":
      case "UND_ERR_RES_CONTENT_LENGTH_MISMATCH":
      case "UND_ERR_ABORTED":
        return explain("cut", `${host} closed the connection before the response was complete. Try again.`);
    }
    if (certificateCodes.test(code)) {
      return explain("connection", `Could not establish a secure connection to ${host} (${code}). Check --base-url.`);
    }
  }
  return explain("connection", `The request to ${host} failed: ${(error as Error)?.message ?? String(error)}`);
}
