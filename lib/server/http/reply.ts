import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import type { Endpoint } from "#lib/contract/endpoint";
import { AppError, internalErrorMessage } from "#lib/platform/errors";
import { type Log, log } from "#lib/platform/log";
import { logFailure } from "#lib/platform/log-failure";
import { observer } from "#lib/platform/observer";
import { compressText, isCompressed } from "./compressed-texts";

/** A body that writes itself: to a web stream, or after its head to a Node.js response with status and headers. */
export type StreamBody = {
  /** `response` is what the stream is going to be written to, if this is known. */
  open: (response?: ServerResponse) => ReadableStream<Uint8Array>;
  writeTo: (response: ServerResponse) => void;
  /** Called in place of the others for a HEAD request. */
  discard?: () => void;
};

/**
 * A text or its bytes, and what returns it compressed for clients that accept this. `isKept`: the server keeps the text, and
 * its compressed form too.
 */
type TextBody = { kind: "text"; text: string | Uint8Array; isKept?: boolean; gzip?: () => Promise<Buffer> };

/** A response, independent of the transport: the route handler and the Node server both write it. */
export type Reply = {
  status: number;
  headers: Record<string, string>;
  body: { kind: "none" } | TextBody | ({ kind: "stream" } & StreamBody);
};

export function jsonReply(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
    body: { kind: "text", text: `${JSON.stringify(value)}\n` },
  };
}

export function textReply(text: TextBody["text"], contentType: string, headers: Record<string, string> = {}): Reply {
  return { status: 200, headers: { "Content-Type": contentType, ...headers }, body: { kind: "text", text } };
}

export function emptyReply(status: number, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: { kind: "none" } };
}

export function redirectReply(location: string): Reply {
  return emptyReply(302, { Location: location, "Cache-Control": "no-store" });
}

/** Sends a stream, which is cancelled when the client disconnects. */
export function streamReply(stream: ReadableStream<Uint8Array>, headers: Record<string, string>): Reply {
  const writeTo = (response: ServerResponse) => {
    response.flushHeaders();
    pipeline(Readable.fromWeb(stream as WebStream), response, () => undefined);
  };
  return {
    status: 200,
    headers,
    body: { kind: "stream", open: () => stream, writeTo, discard: () => void stream.cancel() },
  };
}

/** Whether the client of a Node.js request accepts gzip. */
export const acceptsGzip = ({ headers }: IncomingMessage): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(headers["accept-encoding"] ?? ""));

/** Writes a reply to a Node.js response. */
export function writeReply({ status, headers, body }: Reply, headOnly: boolean, response: ServerResponse): void {
  if (body.kind === "text" && body.gzip && acceptsGzip(response.req)) {
    // The same bytes have a strong tag, and the same text a weak one.
    const zippedHeaders = { ...headers, "Content-Encoding": "gzip", ETag: `W/${headers.ETag}` };
    const write = (gzipped: Buffer) => {
      if (response.destroyed) return;
      response.writeHead(status, { ...zippedHeaders, "Content-Length": gzipped.byteLength });
      response.end(gzipped);
    };
    // HEAD may leave the length out where only compressing would tell it (RFC 9110, section 9.3.2).
    if (headOnly) response.writeHead(status, zippedHeaders).end();
    else void body.gzip().then(write, () => response.destroy());
    return;
  }
  const length = body.kind === "text" && { "Content-Length": Buffer.byteLength(body.text) };
  response.writeHead(status, { ...headers, ...length });
  if (body.kind === "text") response.end(headOnly ? undefined : body.text);
  else if (body.kind === "none") response.end();
  else if (headOnly) {
    body.discard?.();
    response.end();
  } else body.writeTo(response);
}

/** Returns a reply as a web Response; `response` is what it is going to be written to, if this is known. */
export function toResponse({ status, headers, body }: Reply, headOnly: boolean, response?: ServerResponse): Response {
  if (headOnly && body.kind === "stream") body.discard?.();
  if (headOnly || body.kind === "none") return new Response(null, { status, headers });
  return new Response(body.kind === "text" ? (body.text as BodyInit) : body.open(response), { status, headers });
}

export function isReply(value: unknown): value is Reply {
  return typeof value === "object" && value !== null && "status" in value && "headers" in value && "body" in value;
}

function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Returns the `Last-Modified` header, in whole seconds; no header for null. */
export function lastModified(at: Date | null): Record<string, string> {
  return at === null ? {} : { "Last-Modified": at.toUTCString() };
}

/** The conditional headers of a request. */
type Conditions = { ifNoneMatch: string | null; ifModifiedSince: string | null };

/** `If-Modified-Since` applies only without `If-None-Match`, and is ignored if it is not a date (RFC 9110). */
function isCurrent(headers: Reply["headers"], etag: string, { ifNoneMatch, ifModifiedSince }: Conditions): boolean {
  if (ifNoneMatch !== null) return matches(ifNoneMatch, etag);
  const { "Last-Modified": changed } = headers;
  return changed !== undefined && ifModifiedSince !== null && Date.parse(changed) <= Date.parse(ifModifiedSince);
}

/** Returns the strong entity tag of a text. */
export function etagOf(text: TextBody["text"]): string {
  return `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;
}

/** Adds the ETag of the body and its compressed form, and returns a 304 if the client's copy is current. */
export function withETag(reply: Reply, conditions: Conditions): Reply {
  if (reply.body.kind !== "text" || reply.status !== 200) return reply;
  const { text, isKept } = reply.body;
  const { ETag: etag = etagOf(text) } = reply.headers;
  const gzip = isCompressed(text, reply.headers["Content-Type"]) && {
    gzip: () => compressText(text, isKept ? etag : undefined),
  };
  const headers: Reply["headers"] = { ...reply.headers, ETag: etag, ...(gzip && { Vary: "Accept-Encoding" }) };
  if (!isCurrent(headers, etag, conditions)) return { ...reply, headers, body: { kind: "text", text, ...gzip } };
  const { "Content-Type": _type, ...rest } = headers;
  return emptyReply(304, rest);
}

/** Whether CORS is open: for every endpoint that does not require a key. */
export function allowsAnyOrigin({ auth }: Pick<Endpoint, "auth">): boolean {
  return auth !== "required";
}

/** Returns the headers of every response: the request id, CORS if no key is required, and `Vary`. */
export function commonHeaders(
  endpoint: Pick<Endpoint, "auth" | "recognizesKey">,
  requestId: string,
): Record<string, string> {
  const headers: Record<string, string> = { "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff" };
  if (endpoint.auth !== "none" || endpoint.recognizesKey) headers.Vary = "Authorization";
  if (allowsAnyOrigin(endpoint)) {
    headers["Access-Control-Allow-Origin"] = "*";
    headers["Access-Control-Expose-Headers"] = "*";
  }
  return headers;
}

/** How errors are worded: in the format of a provider, or in Tapedeck's. */
export type ErrorFormat = {
  body: (error: AppError, requestId: string) => unknown;
  headers?: (error: AppError, requestId: string) => Record<string, string>;
  /** The message for a path that does not exist. */
  notFound: string;
};

export const tapedeckErrors: ErrorFormat = {
  body: ({ code, status, message }) => ({ error: message, code, status }),
  notFound: "Not found. GET /openapi.json lists all endpoints.",
};

/** Returns a thrown value as an AppError. Unexpected ones become internal_error with a fixed message. */
function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError("internal_error", internalErrorMessage, { cause: thrown });
}

const challenge = { "WWW-Authenticate": "Bearer" };

/** Whether the log gets an error: failures of the server, but not its refusals beyond a bound, which could flood the log. */
function isFailure({ status, code, cause }: AppError): boolean {
  return status >= 500 && (code !== "service_unavailable" || cause !== undefined);
}

/** Returns the reply for a thrown value, and logs failures of the server. */
export function errorReply(thrown: unknown, format: ErrorFormat, requestId: string, logger: Log): Reply {
  const error = toAppError(thrown);
  if (isFailure(error)) logFailure(logger, thrown, { requestId, code: error.code }, "request failed");
  const headers = {
    "Cache-Control": "no-store",
    ...(error.status === 401 ? challenge : {}),
    ...format.headers?.(error, requestId),
    ...error.headers,
  };
  return jsonReply(format.body(error, requestId), error.status, headers);
}

/** Returns the reply to a request that no endpoint accepts, with its own request id. */
export function refuse(error: AppError, format = tapedeckErrors): Reply {
  const requestId = randomUUID();
  observer()?.answered("none", "any", error.status, 0);
  const reply = errorReply(error, format, requestId, log());
  return { ...reply, headers: { ...reply.headers, ...commonHeaders({ auth: "none" }, requestId) } };
}
