import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Served, serve } from "#tests/support/serve";

/** Requests that one connection sends at once. */
const requestCount = 200;
const connectionCount = 5;

let app: Served;
const sockets: Socket[] = [];
beforeAll(async () => {
  app = await serve("node", { DATABASE_URL: "" });
});
afterAll(() => app.stop());

/** Sends 200 pipelined requests for one path on each of five connections. */
async function flood(path: string): Promise<void> {
  const { port } = new URL(app.origin);
  for (let index = 0; index < connectionCount; index += 1) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined).resume();
    sockets.push(socket);
    await once(socket, "connect");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(requestCount));
  }
}

const answersOf = (count: number, path: string) =>
  Promise.all(Array.from({ length: count }, async () => (await fetch(`${app.origin}${path}`)).status));

describe("a flood of pipelined requests", () => {
  it.each(["/og/x.png", "/docs/api/vendors", "/api/v1/cassettes"])(
    "for %s is bounded by connection: other clients are served, and nothing is left to do once it has gone",
    async (path) => {
      await flood(path);
      expect(await answersOf(3, "/api/v1/health")).toEqual([200, 200, 200]);
      for (const socket of sockets.splice(0)) socket.destroy();
      expect(await answersOf(3, "/api/v1/health")).toEqual([200, 200, 200]);
      const requests = app
        .output()
        .split("\n")
        .filter((line) => line.includes(`"path":"${path}"`)).length;
      // Of each connection, the request in progress; the connection was closed at its 66th.
      expect(requests).toBeLessThanOrEqual(connectionCount);
    },
  );
});
