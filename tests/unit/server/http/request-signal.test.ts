import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { isDisconnect } from "#lib/platform/log-failure";
import { viewOf } from "#lib/server/http/node-server";
import { deferred } from "#tests/support/deferred";
import { eventually } from "#tests/support/eventually";
import { listen } from "#tests/support/listen";

/** Serves requests whose body is read and which are never answered, and returns the signal of the first one. */
async function signalOf(send: string) {
  const seen = deferred<AbortSignal>();
  const server = createServer(async (request, response) => {
    const view = viewOf(request, response);
    const signal = view.signal();
    await view.readBody(1_000);
    seen.resolve(signal);
  });
  const socket = connect(await listen(server), "127.0.0.1");
  socket.write(send);
  return { socket, signal: await seen.promise };
}

it("a client that disconnects after its body was read aborts the request", async () => {
  const { socket, signal } = await signalOf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}");
  // Long enough for the events of the body that was read.
  await new Promise((settle) => setImmediate(settle));
  expect(signal.aborted).toBe(false);
  socket.destroy();
  await eventually(() => expect(signal.aborted).toBe(true));
});

it("of a client that disconnected before, reading the body fails and the signal is aborted", async () => {
  const view = deferred<ReturnType<typeof viewOf>>();
  const server = createServer((request, response) => {
    response.once("close", () => view.resolve(viewOf(request, response)));
    socket.destroy();
  });
  const socket = connect(await listen(server), "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{");
  const { readBody, signal } = await view.promise;
  await expect(readBody(1_000)).rejects.toSatisfy(isDisconnect);
  expect(signal().aborted).toBe(true);
});

it("of a client that disconnects in the middle of its body, reading it fails", async () => {
  const failed = deferred<unknown>();
  const server = createServer((request, response) => {
    viewOf(request, response).readBody(1_000).catch(failed.resolve);
    request.once("data", () => socket.destroy());
  });
  const socket = connect(await listen(server), "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{");
  expect(await failed.promise).toSatisfy(isDisconnect);
});
