import { type IncomingMessage, type ServerResponse, request as send } from "node:http";
import { LoopbackServer } from "./loopback-server";

/**
 * A proxy that forwards each request to the next of several servers, as a platform's router would. A request without a
 * body that reaches no server goes to the next one.
 */
export class RoundRobin extends LoopbackServer {
  #count = 0;

  constructor(readonly origins: readonly string[]) {
    super();
  }

  protected handle(request: IncomingMessage, response: ServerResponse, triesLeft = this.origins.length - 1): void {
    const { url: path, method, headers } = request;
    const hasBody = "content-length" in headers || "transfer-encoding" in headers;
    const { hostname, port } = new URL(this.origins[this.#count++ % this.origins.length] as string);
    const onward = send({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.once("error", () => response.destroy());
    });
    onward.once("error", () => {
      if (triesLeft > 0 && !hasBody && !response.headersSent) this.handle(request, response, triesLeft - 1);
      else response.destroy();
    });
    response.once("close", () => onward.destroy());
    request.pipe(onward);
  }
}
