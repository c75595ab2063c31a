import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished, TestRunner } from "vitest";

/** A double of an HTTP service on a loopback port. If a test starts it, or a hook before each one, it ends with the test. */
export abstract class LoopbackServer {
  origin = "";
  /** Requests in progress, and the most at a time so far. */
  openCount = 0;
  maxOpenCount = 0;
  readonly #server = createServer((request, response) => {
    this.openCount += 1;
    this.maxOpenCount = Math.max(this.maxOpenCount, this.openCount);
    response.on("close", () => {
      this.openCount -= 1;
    });
    void this.handle(request, response);
  });

  #hasStarted = false;

  constructor() {
    if (this.upgrade) this.#server.on("upgrade", this.upgrade.bind(this));
  }

  protected abstract handle(request: IncomingMessage, response: ServerResponse): unknown;

  protected upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;

  get isListening(): boolean {
    return this.#server.listening;
  }

  get host(): string {
    return new URL(this.origin).host;
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  /** Listens on a port. Default: the same as before, or a free one. */
  async start(port = this.origin === "" ? 0 : this.port): Promise<this> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    if (!this.#hasStarted && TestRunner.getCurrentTest() !== undefined) onTestFinished(() => this.close());
    this.#hasStarted = true;
    return this;
  }

  /** Stops and closes all connections. */
  async close(): Promise<void> {
    if (!this.isListening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Returns the complete body of a request. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}
