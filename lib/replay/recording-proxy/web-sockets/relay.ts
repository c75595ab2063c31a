import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { secondMs } from "#lib/platform/time";
import { maxCassetteByteSize, maxChunkCount } from "#lib/replay/cassettes/index";
import { passedHeaders, UpstreamError } from "../forward";
import type { ReceivedAnswer } from "../seal-exchange";
import { closeLine, encodeMessage, type Message, stepLine } from "./messages";

/** Largest message, in bytes. */
const maxMessageByteSize = 32 * 1024 * 1024;
/** Bytes that may wait for a slow reader before the other side is no longer read. */
const maxWaitingByteSize = 4 * 1024 * 1024;
/** Longest wait for the server's answer to the upgrade. */
const handshakeTimeoutMs = 60 * secondMs;
/** Largest answer of a server that refuses the upgrade, in bytes. */
const maxRefusalByteSize = 64 * 1024;

/** Headers that a client of WebSockets sets itself. */
const handshakeHeaders = /^sec-websocket-/;

/** The request that opens a WebSocket, and its connection. */
export type Upgrade = { request: IncomingMessage; socket: Duplex; head: Buffer };

/** A server's answer to an upgrade: the connection, or its refusal. */
export type Opened = { socket: WebSocket } | { refusal: ReceivedAnswer };

function protocolsOf({ headers }: IncomingMessage): string[] {
  const protocols = headers["sec-websocket-protocol"]?.split(",") ?? [];
  return protocols.map((protocol) => protocol.trim());
}

async function readRefusal(response: IncomingMessage): Promise<ReceivedAnswer> {
  const chunks: Buffer[] = [];
  let byteSize = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    byteSize += piece.length;
    if (byteSize > maxRefusalByteSize) break;
    chunks.push(piece);
  }
  const contentType = response.headers["content-type"];
  return {
    status: response.statusCode ?? 502,
    headers: contentType === undefined ? {} : { "content-type": contentType },
    chunks: chunks.map((bytes) => ({ deltaMs: 0, bytes })),
  };
}

/** Opens a WebSocket as the client asked for it; it is paused. Throws UpstreamError. */
export async function openServer(
  url: URL,
  host: string,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<Opened> {
  const headers = Object.entries(passedHeaders(request.headers)).filter(([name]) => !handshakeHeaders.test(name));
  const socket = new WebSocket(url, protocolsOf(request), {
    headers: { ...Object.fromEntries(headers), host },
    maxPayload: maxMessageByteSize,
    handshakeTimeout: handshakeTimeoutMs,
  });
  const stop = () => socket.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise<Opened>((resolve, reject) => {
      socket.on("error", reject);
      socket.once("unexpected-response", (_request, response) =>
        readRefusal(response).then((refusal) => resolve({ refusal }), reject),
      );
      socket.once("open", () => {
        // Its first message may already be here.
        socket.pause();
        resolve({ socket });
      });
    });
  } catch (cause) {
    throw new UpstreamError(`${url.origin} could not be reached: ${(cause as Error).message}`, { cause });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Completes a client's upgrade, with the protocol that the server chose. The connection is paused. */
export function acceptClient({ request, socket, head }: Upgrade, protocol: string): Promise<WebSocket> {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageByteSize,
    handleProtocols: () => protocol || false,
  });
  return new Promise((resolve, reject) => {
    socket.once("close", () => reject(new Error("the client closed the connection")));
    server.handleUpgrade(request, socket, head, (client) => {
      client.on("error", () => client.terminate());
      client.pause();
      resolve(client);
    });
  });
}

/** Codes that say that a connection ended without one; they cannot be sent. */
const reservedCodes = new Set([1005, 1006, 1015]);

/** Closes a WebSocket as the other side did. */
export function closeLike(socket: WebSocket, code: number, reason: string): void {
  if (code === 1006) socket.terminate();
  else if (reservedCodes.has(code)) socket.close();
  else socket.close(code, reason);
}

/** What the server sent over a WebSocket until it was closed, or until its test ended. */
export type RelayedSession = { answer: ReceivedAnswer; problem: string | undefined };

/** Passes messages on in both directions while they are copied into `messages`, until one side closes or `ended` is aborted. */
export async function relay(
  client: WebSocket,
  server: WebSocket,
  messages: Message[],
  ended: AbortSignal,
): Promise<RelayedSession> {
  const chunks: ReceivedAnswer["chunks"] = [];
  let problem: string | undefined;
  let byteSize = 0;
  let lastMs = performance.now();
  const closed = new AbortController();
  const done = AbortSignal.any([ended, closed.signal]);
  const count = (bytes: number) => {
    byteSize += bytes;
    if (byteSize > maxCassetteByteSize) problem ??= "its messages are larger than 64 MiB";
    if (messages.length + chunks.length >= maxChunkCount) problem ??= `it has more than ${maxChunkCount} messages`;
  };
  const sinceLast = () => {
    const nowMs = performance.now();
    const deltaMs = nowMs - lastMs;
    lastMs = nowMs;
    return deltaMs;
  };
  const send = (to: WebSocket, from: WebSocket, data: Buffer, isBinary: boolean) => {
    if (to.readyState !== WebSocket.OPEN) return;
    if (to.bufferedAmount > maxWaitingByteSize) from.pause();
    to.send(data, { binary: isBinary }, () => from.resume());
  };
  client.on("message", (data: Buffer, isBinary) => {
    if (done.aborted) return;
    count(data.length);
    sinceLast();
    if (problem === undefined) messages.push(encodeMessage(data, isBinary));
    send(server, client, data, isBinary);
  });
  server.on("message", (data: Buffer, isBinary) => {
    if (done.aborted) return;
    count(data.length);
    const deltaMs = sinceLast();
    if (problem === undefined) chunks.push({ deltaMs, bytes: stepLine(messages.length, data, isBinary) });
    send(client, server, data, isBinary);
  });
  server.once("close", (code, reason) => {
    if (done.aborted) return;
    if (code === 1006) problem ??= "the server closed the connection without saying why";
    else chunks.push({ deltaMs: sinceLast(), bytes: closeLine(messages.length, code, reason.toString("utf8")) });
    closeLike(client, code, reason.toString("utf8"));
    closed.abort();
  });
  client.once("close", (code, reason) => {
    if (done.aborted) return;
    closeLike(server, code, reason.toString("utf8"));
    closed.abort();
  });
  client.resume();
  server.resume();
  if (!done.aborted) await once(done, "abort");
  if (ended.aborted) for (const socket of [client, server]) socket.close(1001, "the test has ended");
  const headers = {
    "content-type": "application/x-ndjson",
    upgrade: "websocket",
    ...(server.protocol ? { "sec-websocket-protocol": server.protocol } : {}),
  };
  return { answer: { status: 101, headers, chunks }, problem };
}
