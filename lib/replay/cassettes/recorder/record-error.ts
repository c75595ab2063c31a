import { codeOf } from "../write-file";
import type { RecordLimits } from "./limits";

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

type Answer = { status: number; headers: Record<string, string>; body: string; url: URL };

/** Longest text of a provider that is repeated. */
const maxTextLength = 300;

/** A provider's own words, on one line and without anything that could steer a terminal. */
export function plainLine(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, " ").trim();
  return line.length > maxTextLength ? `${line.slice(0, maxTextLength)}…` : line;
}

/** `overloaded_error: Overloaded`, from the provider's error object. */
export function describeProviderError(error: unknown): string {
  const { type, message } = (error ?? {}) as { type?: unknown; message?: unknown };
  const parts = [type, message].filter((part) => typeof part === "string" && part !== "") as string[];
  return plainLine(parts.join(": "));
}

function describeBody(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return describeProviderError(error) || plainLine(body);
  } catch {
    return plainLine(body.replace(/<[^>]{0,500}>/g, " "));
  }
}

function advice({ status, headers, url }: Answer): string {
  const retryAfter = headers["retry-after"];
  const wait =
    retryAfter === undefined ? "Try again later" : `Try again after ${plainLine(retryAfter)} s (retry-after)`;
  if (status === 401) return "The key was refused. Check ANTHROPIC_API_KEY";
  if (status === 403) return "The key may not do this. Check its permissions and ANTHROPIC_API_KEY";
  if (status === 404) return `Check the model's name and --base-url (the request went to ${url.href})`;
  if (status === 413) return "The request is too large. Shorten the prompt";
  if (status === 429) return `The rate limit is reached. ${wait}`;
  if (status === 529) return `The provider is overloaded. ${wait}`;
  if (status >= 500) return `The provider failed. ${wait}`;
  if (status >= 400) return "Change the request";
  const location = headers.location === undefined ? "" : ` to ${plainLine(headers.location)}`;
  return `It redirects${location}. Give the final address with --base-url`;
}

/** What an answer that is no stream means, with the provider's own words. */
export function explainStatus(answer: Answer): RecordError {
  const said = describeBody(answer.body);
  const words = said === "" ? "" : ` (${said})`;
  return new RecordError("provider", `${answer.url.host} answered ${answer.status}${words}. ${advice(answer)}.`);
}

/** An error and what caused it, the outermost first; `AggregateError` holds one error per address that was tried. */
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

/** Turns a failure of the connection into a RecordError that says what to do. `url` holds no secret. */
export function explainFailure(error: unknown, url: URL, limits: RecordLimits): RecordError {
  if (error instanceof RecordError) return error;
  const codes = [...causesOf(error)].map(codeOf).filter((code) => code !== undefined);
  const { host, hostname } = url;
  const told = (kind: RecordError["kind"], message: string) => new RecordError(kind, message, { cause: error });
  for (const code of codes) {
    switch (code) {
      case "ECONNREFUSED":
        return told("connection", `Nothing listens at ${host}: the connection was refused. Check --base-url.`);
      case "ENOTFOUND":
      case "EAI_AGAIN":
        return told("connection", `The name ${hostname} was not found (DNS). Check --base-url and your network.`);
      case "EHOSTUNREACH":
      case "ENETUNREACH":
        return told("connection", `There is no way to ${host} from here (${code}). Check your network.`);
      case "UND_ERR_CONNECT_TIMEOUT":
      case "ETIMEDOUT": {
        const wait = seconds(limits.connectTimeoutMs);
        return told(
          "timeout",
          `${host} did not take the connection within ${wait}. Check --base-url and your network.`,
        );
      }
      case "UND_ERR_HEADERS_TIMEOUT": {
        const wait = seconds(limits.headersTimeoutMs);
        return told("timeout", `${host} took the request but did not begin to answer within ${wait}. Try again later.`);
      }
      case "UND_ERR_BODY_TIMEOUT": {
        const wait = seconds(limits.idleTimeoutMs);
        return told("timeout", `${host} sent nothing more for ${wait} in the middle of the answer. Try again.`);
      }
      case "ECONNRESET":
      case "EPIPE":
      case "UND_ERR_SOCKET":
      case "UND_ERR_RES_CONTENT_LENGTH_MISMATCH":
      case "UND_ERR_ABORTED":
        return told("cut", `${host} closed the connection before the answer was complete. Try again.`);
    }
    if (certificateCodes.test(code)) {
      return told("connection", `A secure connection to ${host} was not possible (${code}). Check --base-url.`);
    }
  }
  return told("connection", `The request to ${host} failed: ${(error as Error)?.message ?? String(error)}`);
}
