import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { LoopbackServer, readBody } from "./loopback-server";

/** A received request. */
export type ReceivedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** Responds to a request. */
export type Answer = (response: ServerResponse, received: ReceivedRequest) => Promise<void> | void;

export class ProviderDouble extends LoopbackServer {
  readonly requests: ReceivedRequest[] = [];
  readonly #answers: readonly Answer[];

  constructor(answers: readonly Answer[]) {
    super();
    this.#answers = answers;
  }

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readBody(request).catch(() => null);
    // Its client has left.
    if (!read) return;
    const body = read.toString();
    const received = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    const answer = this.#answers[Math.min(this.requests.length, this.#answers.length - 1)];
    this.requests.push(received);
    await answer?.(response, received);
  }
}

export type Delivery = {
  /** Splits the bytes into pieces of this size. Default: one piece. */
  chunkBytes?: number;
  /** Sends exactly these pieces instead of `bytes`. */
  chunks?: readonly Uint8Array[];
  /** Wait before each piece, in milliseconds. */
  delayMs?: number;
  headers?: Record<string, string>;
};

/** Headers of a real response, including those that a cassette must not keep. */
export const providerHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "request-id": "req_011CTestTestTestTestTest",
  "anthropic-organization-id": "3b1a5c2e-0000-4000-8000-00000000abcd",
  "anthropic-ratelimit-requests-remaining": "999",
  "set-cookie": "__cf_bm=secret; path=/",
  "cf-ray": "8a1b2c3d4e5f-FRA",
};

function cut(bytes: Uint8Array, { chunkBytes, chunks }: Delivery): readonly Uint8Array[] {
  if (chunks) return chunks;
  const size = chunkBytes ?? Math.max(1, bytes.byteLength);
  return Array.from({ length: Math.ceil(bytes.byteLength / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** Sends pieces one by one, with a delay before each. */
export async function sendPieces(response: ServerResponse, pieces: readonly Uint8Array[], delayMs = 0): Promise<void> {
  for (const piece of pieces) {
    if (delayMs > 0) await wait(delayMs);
    if (response.destroyed) return;
    await new Promise<void>((sent) => response.write(piece, () => sent()));
  }
}

/** Responds with a stream. */
export function streamOf(bytes: Uint8Array, delivery: Delivery = {}): Answer {
  return async (response) => {
    response.writeHead(200, { ...providerHeaders, ...delivery.headers });
    response.flushHeaders();
    await sendPieces(response, cut(bytes, delivery), delivery.delayMs);
    response.end();
  };
}

/** Responds with an error in the provider's format. */
export function errorOf(status: number, type: string, message: string, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", "request-id": "req_error", ...headers });
    response.end(JSON.stringify({ type: "error", error: { type, message }, request_id: "req_error" }));
  };
}

/** Sends a part of a stream, then closes the connection before the end of the HTTP body. */
export function cutAfter(bytes: Uint8Array): Answer {
  return async (response) => {
    response.writeHead(200, providerHeaders);
    await sendPieces(response, [bytes]);
    response.destroy();
  };
}

/** Sends a part of a stream, then nothing more. */
export function stallAfter(bytes: Uint8Array): Answer {
  return async (response) => {
    response.writeHead(200, providerHeaders);
    await sendPieces(response, [bytes]);
  };
}

/** Never responds. */
export const silence: Answer = () => undefined;

/** Sends the same piece until the client disconnects. */
export function endlessly(piece: Uint8Array): Answer {
  return async (response) => {
    response.writeHead(200, providerHeaders);
    const closed = once(response, "close");
    while (!response.destroyed) {
      if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
    }
  };
}

/** Starts a provider on the loopback. Each request gets the next answer; the last one is repeated. */
export function startProvider(...answers: Answer[]): Promise<ProviderDouble> {
  return new ProviderDouble(answers).start();
}

type Json = Record<string, unknown>;

/** Returns events in the provider's format. */
export function sseOf(...events: ({ type: string } & Json)[]): Buffer {
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

/** Returns the events of a complete message with one text block in the given pieces. */
export function messageEvents(pieces: readonly string[], model = "claude-test-1"): ({ type: string } & Json)[] {
  const message = { id: "msg_01Test", type: "message", role: "assistant", model, content: [], stop_reason: null };
  return [
    { type: "message_start", message: { ...message, usage: { input_tokens: 9, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...pieces.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: pieces.length } },
    { type: "message_stop" },
  ];
}
