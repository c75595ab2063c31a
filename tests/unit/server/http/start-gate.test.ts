import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "#tests/support/eventually";
import { listen } from "#tests/support/listen";
import { startGate } from "../../../../lib/server/http/start-gate.mjs";

let port: number;
const sockets: Socket[] = [];
const started: { path: string; response: ServerResponse }[] = [];
/** Responses of the server that are not closed. */
let open: Set<ServerResponse>;

async function serve(start: RequestListener = () => undefined, opened?: Promise<void>): Promise<void> {
  started.length = 0;
  const responses = new Set<ServerResponse>();
  open = responses;
  const server = createServer((_request, response) => {
    responses.add(response);
    response.once("close", () => responses.delete(response));
  });
  server.on(
    "request",
    startGate((request, response) => {
      started.push({ path: request.url ?? "", response });
      start(request, response);
    }, opened),
  );
  port = await listen(server);
}

/** Sends GET requests for /<prefix>0, /<prefix>1, … on one connection without waiting for responses. */
async function pipeline(count: number, prefix = "") {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  socket.on("error", () => undefined);
  socket.write(
    Array.from({ length: count }, (_, index) => `GET /${prefix}${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""),
  );
  return { socket, text: () => text };
}

const paths = () => started.map(({ path }) => path);

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

describe("pipelined requests of a connection", () => {
  it("start one after another and are answered in their order", async () => {
    await serve();
    const { text } = await pipeline(5);
    for (let index = 0; index < 5; index += 1) {
      await eventually(() => expect(paths()).toEqual(Array.from({ length: index + 1 }, (_, each) => `/${each}`)));
      started[index]?.response.end(`answer ${index}.`);
    }
    await eventually(() => expect(text()).toContain("answer 4."));
    expect(text().match(/answer \d/g)).toEqual(["answer 0", "answer 1", "answer 2", "answer 3", "answer 4"]);
  });

  it("are dropped when the connection closes", async () => {
    await serve();
    const { socket } = await pipeline(20);
    await eventually(() => expect(paths()).toEqual(["/0"]));
    const closed = once(started[0]?.response as ServerResponse, "close");
    socket.destroy();
    await closed;
    started[0]?.response.end("too late");
    const other = await pipeline(1, "other-");
    await eventually(() => expect(paths()).toContain("/other-0"));
    expect(paths()).toEqual(["/0", "/other-0"]);
    expect(open.size).toBe(1);
    other.socket.destroy();
    await eventually(() => expect(open.size).toBe(0));
  });

  it("do not delay other connections", async () => {
    await serve((request, response) => {
      if (request.url?.startsWith("/other")) response.end("quick");
    });
    await Promise.all([pipeline(50, "a-"), pipeline(50, "b-")]);
    await eventually(() => expect(paths().sort()).toEqual(["/a-0", "/b-0"]));
    const other = await pipeline(1, "other-");
    await eventually(() => expect(other.text()).toContain("quick"));
    expect(started).toHaveLength(3);
  });

  it("close the connection if more than 64 wait", async () => {
    await serve();
    const { socket } = await pipeline(80);
    await once(socket, "close");
    expect(paths()).toEqual(["/0"]);
    await eventually(() => expect(open.size).toBe(0));
    const allowed = await pipeline(65, "allowed-");
    await eventually(() => expect(paths()).toEqual(["/0", "/allowed-0"]));
    expect(allowed.socket.destroyed).toBe(false);
  });
});

describe("a burst of connections", () => {
  it("starts every request, at most eight in one turn of the event loop", async () => {
    let turn = 0;
    let isCounting = true;
    const count = () => {
      turn += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const startsByTurn = new Map<number, number>();
    await serve((_request, response) => {
      startsByTurn.set(turn, (startsByTurn.get(turn) ?? 0) + 1);
      response.end("done");
    });
    const all = await Promise.all(Array.from({ length: 60 }, (_, index) => pipeline(1, `${index}-`)));
    await eventually(() => expect(all.every(({ text }) => text().includes("done"))).toBe(true));
    isCounting = false;
    expect(started).toHaveLength(60);
    expect(Math.max(...startsByTurn.values())).toBeLessThanOrEqual(8);
  });
});

it("before the server opens, requests wait, except those whose connection closes", async () => {
  let open = () => {};
  await serve(
    (_request, response) => response.end(),
    new Promise((resolve) => {
      open = resolve;
    }),
  );
  const { socket: left } = await pipeline(1, "left");
  const { socket: flooding } = await pipeline(100, "flooding");
  const closed = once(flooding, "close");
  const kept = await pipeline(20, "kept");
  await closed;
  left.destroy();
  await eventually(() => expect(left.closed).toBe(true));
  expect(paths()).toEqual([]);
  open();
  await eventually(() => expect(kept.text().match(/200 OK/g)).toHaveLength(20));
  expect(paths().filter((path) => path.startsWith("/flooding"))).toEqual([]);
});
