import { type ClientRequest, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline } from "node:stream/promises";
import { minuteMs } from "#lib/platform/time";
import { type Decoder, decoderFor, maxCassetteByteSize } from "#lib/replay/cassettes/index";
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
  "x-tapedeck-process",
]);
/** Headers that the proxy sets itself where it reads an answer. */
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

/** What came of a forwarded request. */
export type Forwarded = ReceivedAnswer & {
  /** Why the answer cannot be stored; undefined if all of it arrived. */
  problem: string | undefined;
};

/** Keeps a copy of an answer, decoded, with the time of each read. */
class Copy {
  readonly chunks: ReceivedAnswer["chunks"] = [];
  problem: string | undefined;
  readonly #decoder: Decoder | undefined;
  #byteSize = 0;
  #lastMs: number;
  #decoded: Promise<void> = Promise.resolve();

  constructor(contentEncoding: string | undefined, sentMs: number) {
    this.#lastMs = sentMs;
    try {
      this.#decoder = decoderFor(contentEncoding, maxCassetteByteSize);
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  add(bytes: Buffer): void {
    const nowMs = performance.now();
    const decoder = this.#decoder;
    this.#byteSize += bytes.length;
    if (this.#byteSize > maxCassetteByteSize) this.problem ??= "the answer is larger than 64 MiB";
    if (this.problem !== undefined) return;
    if (!decoder) return this.#take(bytes, nowMs);
    this.#decoded = this.#decoded
      .then(async () => this.#take(await decoder.decode(bytes), nowMs))
      .catch((error: Error) => {
        this.problem ??= error.message;
      });
  }

  async end(): Promise<void> {
    await this.#decoded;
    this.#decoder?.close();
  }

  #take(bytes: Uint8Array, nowMs: number): void {
    if (bytes.byteLength === 0) return;
    this.chunks.push({ deltaMs: Math.max(0, nowMs - this.#lastMs), bytes });
    this.#lastMs = nowMs;
  }
}

type ToForward = {
  url: URL;
  /** Host that the server is asked for, if it is not that of the URL. */
  host?: string | undefined;
  method: string;
  headers: IncomingMessage["headers"];
  body: Uint8Array;
  /** Ends the request; its reason says why. */
  signal: AbortSignal;
};

function send({ url, host, method, headers, body, signal }: ToForward): ClientRequest {
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = open(url, {
    method,
    headers: {
      ...passedHeaders(headers),
      ...(host === undefined ? {} : { host }),
      "accept-encoding": "identity",
      ...(body.length > 0 || method !== "GET" ? { "content-length": String(body.length) } : {}),
    },
    timeout: idleTimeoutMs,
  });
  request.on("timeout", () =>
    request.destroy(new Error(`nothing was received for ${idleTimeoutMs / minuteMs} minutes`)),
  );
  const stop = () => request.destroy(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  request.on("close", () => signal.removeEventListener("abort", stop));
  request.end(body);
  return request;
}

/** Sends a request that is not a model's on, and its answer back, both as they arrive. Throws UpstreamError. */
export async function passThrough(
  { url, host, body }: Pick<ToForward, "url" | "host"> & { body: Uint8Array | null },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  const headers = { ...passedHeaders(request.headers, connectionHeaders), host: host ?? url.host };
  const outgoing = open(url, { method: request.method ?? "GET", headers, timeout: idleTimeoutMs });
  outgoing.on("timeout", () => outgoing.destroy());
  response.on("close", () => outgoing.destroy());
  if (body) outgoing.end(body);
  else request.pipe(outgoing);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on("response", resolve);
    outgoing.on("error", (cause: NodeJS.ErrnoException) =>
      reject(new UpstreamError(`${url.origin} could not be reached: ${explain(cause)}`, { cause })),
    );
  });
  response.writeHead(answer.statusCode ?? 502, passedHeaders(answer.headers, connectionHeaders));
  await pipeline(answer, response).catch(() => response.destroy());
}

/** Passes reads on as they arrive. A client that has gone does not end the answer: it is still needed for the tape. */
function pass(answer: IncomingMessage, response: ServerResponse, copy: Copy): Promise<string | undefined> {
  return new Promise((resolve) => {
    const isOpen = () => !response.destroyed && !response.writableEnded;
    answer.on("data", (bytes: Buffer) => {
      copy.add(bytes);
      if (isOpen() && !response.write(bytes)) answer.pause();
    });
    response.on("drain", () => answer.resume());
    response.on("close", () => answer.resume());
    answer.on("end", () =>
      resolve(answer.complete ? undefined : "the connection was closed in the middle of the answer"),
    );
    answer.on("error", (error) => resolve(error.message));
  });
}

/**
 * Sends a request on and streams the answer to the client while it is copied. The client's response stays open until
 * `finish` is called, so that a client that has all of an answer knows that it is stored. Throws UpstreamError.
 */
export async function forward(
  input: ToForward,
  response: ServerResponse,
  markers: Record<string, string>,
): Promise<Forwarded & { finish: () => void }> {
  const sentMs = performance.now();
  const request = send(input);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", resolve);
    request.on("error", (cause: NodeJS.ErrnoException) =>
      reject(new UpstreamError(`${input.url.origin} could not be reached: ${explain(cause)}`, { cause })),
    );
  });
  const status = answer.statusCode ?? 502;
  const headers = Object.fromEntries(
    Object.entries(passedHeaders(answer.headers)).map(([name, value]) => [name, String(value)]),
  );
  response.writeHead(status, { ...passedHeaders(answer.headers), ...markers });
  response.flushHeaders();
  const copy = new Copy(answer.headers["content-encoding"], sentMs);
  const failure = await pass(answer, response, copy);
  await copy.end();
  const finish = () => {
    // A cut answer is cut for the client too.
    if (failure === undefined) response.end();
    else response.destroy();
  };
  return { status, headers, chunks: copy.chunks, problem: failure ?? copy.problem, finish };
}
