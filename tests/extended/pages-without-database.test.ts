import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Served, serve } from "#tests/support/serve";

/** Long enough that all connections of a page open before the first one is given up, on a busy machine too. */
const databaseTimeoutMs = 6_000;

/** What happens to connections of a database that accepts them and answers nothing, in order. */
type Event = "opened" | "given up";

const events: Event[] = [];
const sockets = new Set<Socket>();
const database = createServer((socket) => {
  events.push("opened");
  sockets.add(socket);
  socket.on("error", () => undefined).resume();
  socket.once("close", () => {
    events.push("given up");
    sockets.delete(socket);
  });
});
let app: Served;

beforeAll(async () => {
  database.listen(0, "127.0.0.1");
  await once(database, "listening");
  const { port } = database.address() as AddressInfo;
  app = await serve("node", {
    DATABASE_URL: `postgresql://tapedeck:x@127.0.0.1:${port}/tapedeck`,
    DATABASE_TIMEOUT_MS: String(databaseTimeoutMs),
  });
});
afterAll(async () => {
  await app.stop();
  for (const socket of sockets) socket.destroy();
  database.close();
});

const id = "01997a3c-5f0e-7b52-8d10-6f1f5b3c9a41";
const vendorPages = ["", "/snapshots", `/snapshots/${id}`, "/compare", `/diffs/${id}`].map(
  (rest) => `/vendors/acme${rest}`,
);

/** Pages and documents that need the database, in whole or in part: the status with which they answer. */
const pages: [path: string, status: number][] = [
  ...["/", "/status", "/key", "/pricing", "/docs/api/vendors", "/docs/search-results?q=webhook", "/sitemap.xml"].map(
    (path): [string, number] => [path, 200],
  ),
  ["/vendors", 503],
  ["/changes", 503],
  ...vendorPages.map((path): [string, number] => [path, 503]),
  ...["/feed.xml", "/feed.json", "/vendors/acme/feed.xml", "/og/vendors/acme.png"].map((path): [string, number] => [
    path,
    503,
  ]),
  ["/welcome?session_id=cs_test_a1", 200],
];

it.each(pages)("%s waits for a database that hangs at most once, and answers %i", async (path, expected) => {
  await expect.poll(() => sockets.size).toBe(0);
  events.length = 0;
  const { status, headers } = await fetch(`${app.origin}${path}`);
  expect([status, headers.get("retry-after")]).toEqual([expected, expected === 503 ? "5" : null]);
  // What was asked after the first connection was given up waited for a second time.
  const firstEnd = events.indexOf("given up");
  expect(events.slice(firstEnd < 0 ? events.length : firstEnd)).not.toContain("opened");
});
