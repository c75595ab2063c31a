import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Receivers in a separate process, so that their work is not attributed to a sender. Sends its ports, then counts on request. */
export type ReceivedCounts = { requestCount: number; connectionCount: number };

const counts: ReceivedCounts = { requestCount: 0, connectionCount: 0 };
const ports: number[] = [];
for (let index = 0; index < Number(process.argv[2]); index += 1) {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      counts.requestCount += 1;
      response.end("ok");
    });
  });
  server.on("connection", () => {
    counts.connectionCount += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ports.push((server.address() as AddressInfo).port);
}
process.on("message", () => {
  process.send?.(counts);
  counts.requestCount = 0;
  counts.connectionCount = 0;
});
process.on("disconnect", () => process.exit());
process.send?.(ports);
