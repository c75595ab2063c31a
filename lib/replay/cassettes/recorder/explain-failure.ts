import { codeOf } from "../write-error";
import type { RecordLimits } from "./limits";
import { RecordError } from "./record-error";

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
