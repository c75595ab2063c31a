import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { secondMs } from "#lib/platform/time";
import { send } from "#lib/replay/cassettes/recorder/send";

/** Starts a server that answers one request on each connection, says nothing of that, and closes it at the next one. */
async function startForgetful() {
  const connections = new Map<object, number>();
  const server = createServer((request, response) => {
    const count = (connections.get(request.socket) ?? 0) + 1;
    connections.set(request.socket, count);
    if (count > 1) request.socket.destroy();
    else request.resume().on("end", () => response.end("answer"));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), connections };
}

async function read(answer: IncomingMessage): Promise<string> {
  return Buffer.concat(await answer.toArray()).toString();
}

it.each([
  ["a connection that the server closes when it is used again is replaced by a new one", undefined, [2, 1]],
  ["a request with a connection of its own leaves it to no other", false, [1, 1]],
] as const)("%s", async (_name, agent, expected) => {
  const { url, connections } = await startForgetful();
  const waits = { connectTimeoutMs: 60 * secondMs, headersTimeoutMs: 60 * secondMs, idleTimeoutMs: 60 * secondMs };
  for (const body of ["one", "two"].map((text) => Buffer.from(text))) {
    const { signal } = new AbortController();
    const headers = { "content-length": String(body.length) };
    expect(await read(await send({ url, method: "POST", headers, body, signal, waits, agent }))).toBe("answer");
  }
  expect([...connections.values()]).toEqual(expected);
});
