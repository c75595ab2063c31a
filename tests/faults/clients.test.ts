import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { groups } from "#app/bindings";
import { answerRequest } from "#lib/replay/cassettes/request";
import { sealCassette, serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { pacer } from "#lib/replay/playback/index";
import { anthropic } from "#lib/replay/providers/index";
import { handlerBeforeNext } from "#lib/server/http/node-server";
import { eventually } from "#tests/support/eventually";
import { isExtended } from "#tests/support/extended";
import { authoredProvenance } from "#tests/support/sample-cassette";
import { temporaryFolder } from "#tests/support/temporary-folder";

/** Only the Node adapter, in this process, so that its memory can be inspected. */
const folder = temporaryFolder();
const clientCount = isExtended ? 3_000 : 300;
const largeByteSize = 16 * 1024 * 1024;
let server: Server;
let port = 0;
const accepted = new Set<Socket>();
/** Returns the number of bytes buffered in this process for readers. */
const bufferedByteSize = () => [...accepted].reduce((sum, { writableLength }) => sum + writableLength, 0);

function cassette(id: string, chunks: { deltaMs: number; bytes: Buffer }[]): void {
  const sealed = sealCassette({
    id,
    title: id,
    subtitle: "",
    provenance: authoredProvenance,
    provider: anthropic,
    request: answerRequest(anthropic, {}),
    response: { status: 200, headers: { "content-type": "text/event-stream" } },
    chunks,
    end: "complete",
  });
  writeFileSync(join(folder, `${id}.json`), serializeCassette(sealed));
}

async function open(path: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(`GET /api/v1/replay/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}

async function until(condition: () => boolean): Promise<void> {
  await eventually(() => expect(condition()).toBe(true));
}

beforeAll(async () => {
  mkdirSync(join(folder, "legal"));
  const tick = Buffer.from("event: ping\ndata: {}\n\n");
  cassette("legal/slow", [
    { deltaMs: 0, bytes: tick },
    { deltaMs: 500_000, bytes: tick },
  ]);
  const large = Buffer.alloc(64 * 1024, "x");
  cassette(
    "legal/large",
    Array.from({ length: largeByteSize / large.length }, () => ({ deltaMs: 0, bytes: large })),
  );
  process.env.CASSETTE_DIR = folder;
  process.env.LOG_LEVEL = "silent";
  const handler = handlerBeforeNext(groups);
  server = createServer((request, response) => handler(request, response, () => response.writeHead(404).end()));
  server.on("connection", (socket: Socket) => {
    accepted.add(socket);
    socket.once("close", () => accepted.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
});

describe("a client that disconnects", () => {
  it("is removed from the pacer as soon as its socket closes", async () => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => open("legal/slow")));
    await until(() => pacer().size === 50);
    for (const socket of sockets) socket.destroy();
    await until(() => pacer().size === 0);
    expect(pacer().size).toBe(0);
  });

  it(`leaks no memory: the heap is the same after ${clientCount} of them`, async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const round = async () => {
      for (let done = 0; done < clientCount; done += 100) {
        const sockets = await Promise.all(Array.from({ length: 100 }, () => open("legal/slow")));
        await Promise.all(sockets.map((socket) => once(socket, "data")));
        for (const socket of sockets) socket.destroy();
        await until(() => pacer().size === 0);
      }
      collect();
      return process.memoryUsage().heapUsed;
    };
    // A leak grows in each round; compiled code and caches do not.
    let [heap, growth, roundCount] = [await round(), Number.POSITIVE_INFINITY, 1];
    while (growth >= 200 && roundCount < 10) {
      const before = heap;
      heap = await round();
      growth = (heap - before) / clientCount;
      roundCount += 1;
    }
    expect(growth).toBeLessThan(200);
  });
});

describe("a client that reads slowly", () => {
  it("uses a bounded buffer, does not delay others, and receives the complete body", async () => {
    const socket = await open("legal/large?speed=max");
    socket.pause();
    await until(() => pacer().size === 1);
    const other = await open("legal/slow");
    await once(other, "data");
    other.destroy();
    await until(() => pacer().size === 1);
    await until(() => bufferedByteSize() > 0);
    expect(bufferedByteSize()).toBeLessThan(256 * 1024);
    let received = 0;
    socket.on("data", (bytes) => {
      received += bytes.length;
    });
    socket.resume();
    await until(() => pacer().size === 0);
    await until(() => received > largeByteSize);
    socket.destroy();
  });
});
