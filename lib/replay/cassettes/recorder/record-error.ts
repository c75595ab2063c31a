import type { Provider } from "#lib/replay/providers/index";
import { codeOf } from "../write-file";
import { WaitError } from "./send";

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

const certificateCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|EPROTO$)/;

/** What came of a request, by the code of the system's error. */
const kinds: Readonly<Record<string, (url: URL, code: string) => [RecordErrorKind, string]>> = {
  ECONNREFUSED: ({ host }) => [
    "connection",
    `${host} refused the connection. Check --base-url and that the server is running.`,
  ],
  ENOTFOUND: ({ hostname }) => [
    "connection",
    `The host name ${hostname} was not found (DNS). Check --base-url and your network.`,
  ],
  EHOSTUNREACH: ({ host }, code) => ["connection", `${host} is unreachable (${code}). Check your network.`],
  ETIMEDOUT: ({ host }) => ["timeout", `${host} did not accept the connection. Check --base-url and your network.`],
  ECONNRESET: ({ host }) => ["cut", `${host} closed the connection before the response was complete. Try again.`],
};
const sameKinds: Readonly<Record<string, string>> = {
  EAI_AGAIN: "ENOTFOUND",
  ENETUNREACH: "EHOSTUNREACH",
  EPIPE: "ECONNRESET",
};

function explainWait({ phase, waitedMs }: WaitError, { host }: URL): string {
  const wait = `${Math.round(waitedMs / 100) / 10} s`;
  if (phase === "connect")
    return `${host} did not accept the connection within ${wait}. Check --base-url and your network.`;
  return phase === "headers"
    ? `${host} accepted the request but did not start to respond within ${wait}. Try again later.`
    : `${host} stopped sending in the middle of the response for ${wait}. Try again.`;
}

/** Turns a connection failure into a RecordError that says what to do. `url` must not contain secrets. */
export function explainFailure(error: unknown, url: URL): RecordError {
  if (error instanceof RecordError) return error;
  if (error instanceof WaitError) return new RecordError("timeout", explainWait(error, url), { cause: error });
  for (const code of [...causesOf(error)].map(codeOf)) {
    const explained = code && kinds[sameKinds[code] ?? code]?.(url, code);
    if (explained) return new RecordError(...explained, { cause: error });
    if (code && certificateCodes.test(code)) {
      const message = `Could not establish a secure connection to ${url.host} (${code}). Check --base-url.`;
      return new RecordError("connection", message, { cause: error });
    }
  }
  const reason = (error as Error)?.message ?? String(error);
  return new RecordError("connection", `The request to ${url.host} failed: ${reason}`, { cause: error });
}
