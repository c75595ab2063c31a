import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Lets a server listen on a loopback port until the test has finished, and returns the port. */
export async function listen(server: Server): Promise<number> {
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((settle) => server.close(settle));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
