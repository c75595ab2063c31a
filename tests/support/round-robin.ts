import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Starts a proxy that forwards each request to the next of several servers, as a platform's router would. A request
 * without a body that reaches no server goes to the next one.
 */
export async function startRoundRobin(origins: readonly string[]): Promise<{ origin: string; stop(): Promise<void> }> {
  let count = 0;
  const server = createServer((request, response) => {
    const { url: path, method, headers } = request;
    const hasBody = "content-length" in headers || "transfer-encoding" in headers;
    const forward = (triesLeft: number) => {
      const { hostname, port } = new URL(origins[count++ % origins.length] as string);
      const onward = send({ hostname, port, path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
        answer.once("error", () => response.destroy());
      });
      onward.once("error", () => {
        if (triesLeft > 0 && !hasBody && !response.headersSent) forward(triesLeft - 1);
        else response.destroy();
      });
      response.once("close", () => onward.destroy());
      request.pipe(onward);
    };
    forward(origins.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
