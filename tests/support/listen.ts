import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { afterAll, onTestFinished, TestRunner } from "vitest";

/** Lets a server listen on a port until its test has finished, or its file when called outside a test. Returns the port. */
export async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((settle) => server.close(settle));
  };
  if (TestRunner.getCurrentTest() === undefined) afterAll(close);
  else onTestFinished(close);
  server.listen(0, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
