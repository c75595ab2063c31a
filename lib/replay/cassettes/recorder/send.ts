import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { secondMs } from "#lib/platform/time";

type Phase = "connect" | "headers" | "body";

/** Longest waits for a server, in milliseconds. */
export type Waits = {
  connectTimeoutMs: number;
  /** From the request to the response headers. */
  headersTimeoutMs: number;
  /** Between two reads of the body. */
  idleTimeoutMs: number;
};

/** The server sent nothing for too long. */
export class WaitError extends Error {
  override readonly name = "WaitError";

  constructor(
    readonly phase: Phase,
    readonly waitedMs: number,
  ) {
    super(`nothing was received for ${waitedMs / secondMs} s`);
  }
}

/** If a connection that is used again fails within this time, the server had closed it before the request arrived. */
const staleWithinMs = secondMs;

type ToSend = {
  url: URL;
  method: string;
  headers: Record<string, string | string[]>;
  body: Uint8Array | Readable;
  /** Ends the request; its reason is the error. */
  signal: AbortSignal;
  waits: Waits;
  /** Called when the request is written to its connection, so that DNS and TLS do not count as response time. */
  onSent?: () => void;
  /** `false` opens a connection for this request alone. Default: connections are used again. */
  agent?: false | undefined;
};

/**
 * Sends a request, and resolves when the response headers have arrived. Rejects with the system's error. A server may close an
 * idle connection just when it is used again: the request is then sent once more, on a new one. Not if it is closed later:
 * the server may have begun to answer.
 */
export function send(input: ToSend): Promise<IncomingMessage> {
  const { url, method, headers, body, signal, waits, onSent, agent } = input;
  const isSecure = url.protocol === "https:";
  const timeoutMs = { connect: waits.connectTimeoutMs, headers: waits.headersTimeoutMs, body: waits.idleTimeoutMs };
  let phase: Phase = "connect";
  let answer: IncomingMessage | undefined;
  let sentAtMs = Number.POSITIVE_INFINITY;
  const options = { method, headers, timeout: timeoutMs.connect, agent };
  const outgoing = (isSecure ? httpsRequest : httpRequest)(url, options);
  const stop = () => (answer ?? outgoing).destroy(signal.reason);
  outgoing.on("timeout", () => (answer ?? outgoing).destroy(new WaitError(phase, timeoutMs[phase])));
  outgoing.on("close", () => signal.removeEventListener("abort", stop));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  outgoing.once("socket", (socket) => {
    const sent = () => {
      phase = "headers";
      sentAtMs = performance.now();
      socket.setTimeout(timeoutMs.headers);
      onSent?.();
    };
    if (socket.connecting) socket.once(isSecure ? "secureConnect" : "connect", sent);
    else sent();
  });
  if (body instanceof Readable) body.pipe(outgoing);
  else outgoing.end(body);
  return new Promise((resolve, reject) => {
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === "ECONNRESET" || error.code === "EPIPE";
      const isStale = outgoing.reusedSocket && isClosed && !answer && performance.now() - sentAtMs < staleWithinMs;
      if (isStale && !(body instanceof Readable)) send({ ...input, agent: false }).then(resolve, reject);
      else reject(error);
    });
    outgoing.on("response", (response) => {
      answer = response;
      phase = "body";
      response.socket.setTimeout(timeoutMs.body);
      resolve(response);
    });
  });
}

/** Passes each read of a body on. Resolves at its end, with the reason if it ended early or `onRead` threw. */
export function readEach(answer: IncomingMessage, onRead: (bytes: Buffer) => void): Promise<Error | undefined> {
  return new Promise((resolve) => {
    answer.on("data", (bytes: Buffer) => {
      try {
        onRead(bytes);
      } catch (error) {
        answer.destroy(error as Error);
      }
    });
    answer.on("end", () => resolve(undefined));
    answer.on("error", resolve);
  });
}
