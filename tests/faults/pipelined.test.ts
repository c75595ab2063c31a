import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "#tests/support/eventually";
import { isExtended } from "#tests/support/extended";
import { type Served, serve } from "#tests/support/serve";

const connectionCount = 5;
/** Drawing a picture and rendering a page take most of this file's time. */
const [pictureCount, pageCount] = isExtended ? [40, 100] : [1, 8];

let app: Served;
const sockets: Socket[] = [];
beforeAll(async () => {
  app = await serve("node", { DATABASE_URL: "", LOG_LEVEL: "info" });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => app.stop());

/**
 * Sends pipelined requests for a path on each of five connections. Returns the status lines so far, by connection, and
 * whether it has closed.
 */
async function flood(path: string, requestCount: number): Promise<() => string[][]> {
  const { port } = new URL(app.origin);
  const texts = Array.from({ length: connectionCount }, () => "");
  const closed = new Set<number>();
  for (let index = 0; index < connectionCount; index += 1) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.setEncoding("latin1").on("data", (text: string) => {
      texts[index] += text;
    });
    socket.on("error", () => undefined).once("close", () => closed.add(index));
    sockets.push(socket);
    await once(socket, "connect");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(requestCount));
  }
  return () =>
    texts.map((text, index) => [
      ...(text.match(/HTTP\/1\.1 \d{3}(?= )/g) ?? []),
      ...(closed.has(index) ? ["closed"] : []),
    ]);
}

const loggedCount = (path: string) =>
  app
    .output()
    .split("\n")
    .filter((line) => line.includes(`"path":"${path}"`)).length;

describe("pipelined requests on five connections", () => {
  it.each([
    ["/og/x.png", pictureCount],
    ["/api/v1/cassettes", 40],
    ["/docs/api/replay", isExtended ? 2 : 1],
  ])("for %s are all answered, and requests of other clients in between", async (path, requestCount) => {
    const answered = await flood(path, requestCount);
    for (let request = 0; request < 3; request += 1) {
      expect((await fetch(`${app.origin}/api/v1/health`)).status).toBe(200);
    }
    const expected = Array.from({ length: connectionCount }, () => Array(requestCount).fill("HTTP/1.1 200"));
    const isAnswered = () => expect(answered(), app.output().slice(-4_000)).toEqual(expected);
    await eventually(isAnswered);
  });

  it("are not served once their connections have closed", async () => {
    const path = "/api/v1/fleet";
    await flood(path, 60);
    for (const socket of sockets.splice(0)) socket.destroy();
    // Requests that were sent later are answered; of the earlier ones, most were dropped.
    for (let request = 0; request < 20; request += 1) await fetch(`${app.origin}/api/v1/health`);
    expect(loggedCount(path)).toBeLessThan((connectionCount * 60) / 2);
  });

  it("beyond 65 close the connection", async () => {
    await flood("/api/v1/cassettes", 200);
    await eventually(() => expect(sockets.every(({ destroyed }) => destroyed)).toBe(true));
  });
});

describe("requests for pages on many connections", () => {
  it("do not hold up other requests", async () => {
    let renderedCount = 0;
    const pages = Array.from({ length: pageCount }, async () => {
      const response = await fetch(`${app.origin}/docs/api/replay`);
      renderedCount += 1;
      return response.body?.cancel();
    });
    await eventually(() => expect(renderedCount).toBeGreaterThan(0));
    const before = renderedCount;
    expect((await fetch(`${app.origin}/api/v1/health`)).status).toBe(200);
    expect(renderedCount - before).toBeLessThan(pageCount / 2);
    await Promise.all(pages);
  });
});
