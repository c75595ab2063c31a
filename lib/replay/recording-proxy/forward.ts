import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { minuteMs } from "#lib/platform/time";
import { decodeReads, Reads, RecordError, readEach, send } from "#lib/replay/cassettes/index";
import { processHeader } from "#lib/replay/interception/index";
import { cutOff, isClosed } from "#lib/replay/playback/index";
import type { ReceivedAnswer } from "./seal-exchange";

/** An upstream that sends nothing for this long is given up. */
const idleTimeoutMs = 10 * minuteMs;

/** Headers that belong to one connection. */
const connectionHeaders = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  processHeader,
]);
/** Headers that the proxy sets itself in requests whose answers it reads. */
const ownHeaders = new Set([...connectionHeaders, "accept-encoding", "content-length", "host"]);

type Headers = Record<string, string | string[]>;

/** Returns headers without those that belong to one connection, or are in a list. Those of HTTP/2 itself start with a colon. */
export function passedHeaders(headers: IncomingMessage["headers"], left: ReadonlySet<string> = ownHeaders): Headers {
  const connection = String(headers.connection ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).filter(
      (pair): pair is [string, string | string[]] =>
        pair[1] !== undefined && !left.has(pair[0]) && !connection.includes(pair[0]) && !pair[0].startsWith(":"),
    ),
  );
}

/** Codes of certificates of an authority that is not known here. */
const untrustedCodes = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function explain({ code, message }: NodeJS.ErrnoException): string {
  if (code === undefined || !untrustedCodes.has(code)) return code ?? message;
  return `its certificate is not trusted (${code}). Name the file of its certificate authority in NODE_EXTRA_CA_CERTS`;
}

/** The upstream did not answer; the message says why. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
}

export type Forwarded = ReceivedAnswer & {
  /** Why the answer cannot be stored; undefined if all of it arrived. */
  problem: string | undefined;
  /** Whether that is because it exceeds a bound of recordings. */
  isBeyondBound: boolean;
};

const waits = { connectTimeoutMs: idleTimeoutMs, headersTimeoutMs: idleTimeoutMs, idleTimeoutMs };

type ToForward = {
  url: URL;
  /** Host that the server is asked for. */
  host: string;
  method: string;
  headers: IncomingMessage["headers"];
  body: Uint8Array;
  /** Ends the request; its reason says why. */
  signal: AbortSignal;
};

function open(input: Omit<Parameters<typeof send>[0], "waits">): Promise<IncomingMessage> {
  return send({ ...input, waits }).catch((cause: NodeJS.ErrnoException) => {
    throw new UpstreamError(`${input.url.origin} could not be reached: ${explain(cause)}`, { cause });
  });
}

type Passed = Pick<ToForward, "url" | "host"> & { body: Uint8Array | Readable | null; signal?: AbortSignal };

/** Sends a request that is not stored on, and its answer back, both as they arrive. Throws UpstreamError. */
export async function passThrough(
  { url, host, body: read, signal }: Passed,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort(new Error("the client closed the connection")));
  const headers = { ...passedHeaders(request.headers, connectionHeaders), host };
  const { method = "GET" } = request;
  const body = read ?? request;
  try {
    const ended = signal ? AbortSignal.any([gone.signal, signal]) : gone.signal;
    const answer = await open({ url, method, headers, body, signal: ended });
    response.writeHead(answer.statusCode ?? 502, passedHeaders(answer.headers, connectionHeaders));
    await pipeline(answer, response).catch(() => response.destroy());
  } finally {
    // A client that is still sending would not read the answer.
    if (body instanceof Readable) body.unpipe().resume();
  }
}

/**
 * Sends a request on and streams the answer to the client while it is copied. A client that has gone does not end the answer:
 * it is still needed for the tape. The client's response stays open until `finish` is called, so that a client that has all
 * of an answer knows that it is stored. With `isHeld`, the client gets nothing before that, unless the answer is too large to
 * be stored. `hasLeft`: the client had gone before the answer began. Throws UpstreamError.
 */
export async function forward(
  { headers: given, ...input }: ToForward,
  response: ServerResponse,
  { markers, isHeld }: { markers: Record<string, string>; isHeld: boolean },
): Promise<Forwarded & { hasLeft: boolean; finish: () => void }> {
  const { host, body, method } = input;
  const reads = new Reads(performance.now());
  const sent: Headers = { ...passedHeaders(given), host, "accept-encoding": "identity" };
  if (body.length > 0 || method !== "GET") sent["content-length"] = String(body.length);
  const answer = await open({ ...input, headers: sent });
  const status = answer.statusCode ?? 502;
  const passed = passedHeaders(answer.headers, connectionHeaders);
  const hasBody = method !== "HEAD" && status !== 204 && status !== 304;
  // With the last byte, a client has all of an answer whose length it knows.
  let left = hasBody ? Number(passed["content-length"] ?? Infinity) : 0;
  let held: Uint8Array[] | null = isHeld || left === 0 ? [] : null;
  const isOpen = () => !isClosed(response) && !response.writableEnded;
  const release = () => {
    const waiting = held ?? [];
    held = null;
    if (!isOpen()) return;
    if (!response.headersSent) response.writeHead(status, { ...passed, ...markers });
    response.flushHeaders();
    for (const bytes of waiting) response.write(bytes);
  };
  const hasLeft = !isOpen();
  if (!held) release();
  let problem: string | undefined;
  let isBeyondBound = false;
  const addProblem = (error: Error) => {
    problem = error.message;
    isBeyondBound = error instanceof RecordError && error.kind === "bound";
  };
  response.on("drain", () => answer.resume()).on("close", () => answer.resume());
  const failure = await readEach(answer, (bytes) => {
    const nowMs = performance.now();
    left -= bytes.length;
    if (left <= 0) held ??= [];
    if (held) held.push(bytes);
    else if (isOpen() && !response.write(bytes)) answer.pause();
    try {
      if (problem === undefined) reads.add(bytes, nowMs);
    } catch (error) {
      addProblem(error as Error);
      release();
    }
  });
  const isCut = (failure as NodeJS.ErrnoException | undefined)?.code === "ECONNRESET";
  problem = isCut ? "the server cut the connection" : (failure?.message ?? problem);
  const chunks =
    problem === undefined
      ? await decodeReads(reads.chunks, answer.headers["content-encoding"]).catch((error: Error) => {
          addProblem(error);
          return [];
        })
      : [];
  const finish = () => {
    release();
    // A cut answer is cut for the client too, after what came of it.
    if (failure === undefined) response.end();
    else if (isOpen()) cutOff(response);
  };
  const headers = Object.fromEntries(Object.entries(passed).map(([name, value]) => [name, String(value)]));
  return { status, headers, chunks, problem, isBeyondBound, hasLeft, finish };
}
