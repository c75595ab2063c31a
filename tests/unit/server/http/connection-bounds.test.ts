import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { connectionBounds, networkBoundOf } from "#lib/server/http/client-bounds";
import { boundConnections } from "#lib/server/http/connection-bounds";
import { eventually } from "#tests/support/eventually";
import { listen } from "#tests/support/listen";

let server: Server;
let port: number;
const sockets: Socket[] = [];

/** Serves requests: those for /wait are never answered. */
async function serve(bounds: { max: number; maxPerAddress: number }): Promise<void> {
  server = createServer((request, response) => {
    if (request.url !== "/wait") response.end("answered");
  });
  boundConnections(server, { max: bounds.max, maxPerNetwork: 0, maxForLoopback: bounds.maxPerAddress });
  port = await listen(server);
}

type Client = { socket: Socket; send: (path: string) => void; text: () => string };

async function open(localAddress = "127.0.0.1"): Promise<Client> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  sockets.push(socket);
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  socket.on("error", () => undefined);
  const accepted = once(server, "connection");
  await once(socket, "connect");
  await accepted;
  return { socket, send: (path) => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`), text: () => text };
}

/** Opens a connection with a request in progress. */
async function openBusy(localAddress?: string): Promise<Client> {
  const client = await open(localAddress);
  const requested = once(server, "request");
  client.send("/wait");
  await requested;
  return client;
}

const untilAnswered = ({ text }: Client, count = 1) =>
  eventually(() => expect(text().match(/answered/g)).toHaveLength(count));
const untilClosed = ({ socket }: Client) => eventually(() => expect(socket.destroyed).toBe(true));

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

describe.each([
  ["an address", { max: 100, maxPerAddress: 3 }],
  ["all addresses together", { max: 3, maxPerAddress: 100 }],
])("beyond the bound of %s", (_what, bounds) => {
  it("a new connection replaces the one that has been idle longest", async () => {
    await serve(bounds);
    const [first, busy, kept] = [await open(), await openBusy(), await open()];
    first.send("/");
    await untilAnswered(first);
    const added = await open();
    await untilClosed(kept);
    for (const client of [first, added]) client.send("/");
    await untilAnswered(first, 2);
    await untilAnswered(added);
    expect(busy.socket.destroyed).toBe(false);
  });

  it("a new connection is closed if all others have requests in progress", async () => {
    await serve(bounds);
    const busy = [await openBusy(), await openBusy(), await openBusy()];
    await untilClosed(await open());
    expect(busy.some(({ socket }) => socket.destroyed)).toBe(false);
    busy[0]?.socket.destroy();
    await eventually(async () => expect(await promisify(server.getConnections.bind(server))()).toBe(2));
    const added = await open();
    added.send("/");
    await untilAnswered(added);
  });
});

describe("an address that has taken its share", () => {
  it("leaves room for others", async () => {
    await serve({ max: 100, maxPerAddress: 2 });
    for (let count = 0; count < 2; count += 1) await openBusy("127.0.0.2");
    const other = await open("127.0.0.3");
    other.send("/");
    await untilAnswered(other);
  });

  it.each([
    ["203.0.113.1", "203.0.113.1", connectionBounds.maxPerNetwork],
    ["::ffff:203.0.113.1", "203.0.113.1", connectionBounds.maxPerNetwork],
    ["2001:db8::1:2:3:4", "2001:db8:0:0::/64", connectionBounds.maxPerNetwork],
    ["127.0.0.1", "127.0.0.1", connectionBounds.maxForLoopback],
    ["::ffff:127.0.0.1", "127.0.0.1", connectionBounds.maxForLoopback],
    ["::1", "0:0:0:0::/64", connectionBounds.maxForLoopback],
    [undefined, "unknown", connectionBounds.maxPerNetwork],
  ])("%s counts as %s, with at most %i connections", (address, network, max) => {
    expect(networkBoundOf(address, connectionBounds)).toEqual({ network, max });
  });
});
