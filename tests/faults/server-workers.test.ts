import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { announceChange } from "#tests/support/announce-change";
import { createTestDatabase } from "#tests/support/database";
import { eventually } from "#tests/support/eventually";
import { isExtended } from "#tests/support/extended";
import { bearer, expectExactLimit } from "#tests/support/limits";
import { mcpHeaders, openMcpSession } from "#tests/support/mcp";
import { NotificationReader } from "#tests/support/notification-reader";
import { parseOpenMetrics, sampleOf } from "#tests/support/open-metrics";
import { readStream } from "#tests/support/read-stream";
import { type Served, serve } from "#tests/support/serve";
import { longTimeouts } from "#tests/support/start-app";
import { addVendor } from "#tests/support/vendor-rows";

/** A server of two processes. Each request has a connection of its own, and connections go to the processes in turn. */

const metricsToken = "a token of the metrics";
const [first, second] = ["developer-tools/explain-sse", "developer-tools/slow-query-index"];
let server: Served;
let database: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  const created = await createTestDatabase();
  drop = created.drop;
  database = createDatabase(created.url);
  const environment = { DATABASE_URL: created.url, METRICS_TOKEN: metricsToken, LOG_LEVEL: "warn", ...longTimeouts };
  server = await serve("node", { ...environment, WORKERS: "2" });
  await untilAllAnswer();
});

afterAll(async () => {
  await server.stop();
  await database.$disconnect();
  await drop();
});

const workerPids = () =>
  readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").trim().split(" ").map(Number);

async function scrape() {
  const { status, body } = await readStream(`${server.origin}/metrics`, { headers: bearer(metricsToken) });
  expect(status).toBe(200);
  return parseOpenMetrics(body.toString());
}

/** Returns how many replays each process has started. */
async function startedByWorker(): Promise<number[]> {
  const families = await scrape();
  return [1, 2].map((worker) => sampleOf(families, `tapedeck_replay_streams_started_total{worker="${worker}"}`) ?? -1);
}

/** Waits until both processes answer: the port answers as soon as the first of them does. */
const untilAllAnswer = () =>
  eventually(async () => expect((await startedByWorker()).every((count) => count >= 0)).toBe(true));

const replay = () => readStream(`${server.origin}/api/v1/replay/${first}?speed=max`);

/** Sends a request of a test with a sequence; returns the cassette that was played, or the status. */
async function next(test: string): Promise<string | number> {
  const { status, headers } = await readStream(`${server.origin}/v1/messages?speed=max`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-replay-test": test,
      "x-replay-sequence": `${first}, 503, ${second}`,
    },
    body: JSON.stringify({ model: "any", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] }),
  });
  return (headers["x-replay-cassette"] as string | undefined) ?? status;
}

it("the metrics have what each process has done", async () => {
  const before = await startedByWorker();
  for (let index = 0; index < 6; index++) expect((await replay()).status).toBe(200);
  const after = await startedByWorker();
  // The two scrapes are in between.
  expect(after.map((count, index) => count - before[index]!).toSorted()).toEqual([3, 3]);
});

it("a test gets each item of its sequence once, whichever process answers", async () => {
  const items = [await next("in turn"), await next("in turn"), await next("in turn"), await next("in turn")];
  expect(items).toEqual([first, 503, second, 404]);
  const atOnce = await Promise.all(Array.from({ length: 12 }, () => next("at once")));
  expect(
    atOnce
      .filter((item) => item !== 404)
      .map(String)
      .toSorted(),
  ).toEqual([first, "503", second].map(String).toSorted());
});

it("exactly 100 of 200 requests pass the limit", async () => {
  const { key } = await createKey({ database, clock: systemClock, ids: systemIds }, { tier: "free" });
  await expectExactLimit([server.origin], { requestCount: 200, key });
});

it("an MCP session is served by both processes, and hears of a change through one stream", async () => {
  const { slug } = await addVendor(database, {});
  const session = await openMcpSession({ origin: server.origin });
  const send = async (message: object) => {
    const { status, body } = await readStream(`${server.origin}/api/mcp/v2`, {
      method: "POST",
      headers: { ...mcpHeaders(), "mcp-session-id": session },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    expect(status).toBe(200);
    return JSON.parse(body.toString());
  };
  for (let id = 1; id <= 4; id++) {
    const { result } = await send({ id, method: "tools/call", params: { name: "get_pricing", arguments: {} } });
    expect(result.structuredContent).toMatchObject({ free: { requests_per_day: 100 } });
  }
  const uri = `tapedeck://vendors/${slug}`;
  expect((await send({ id: 5, method: "resources/subscribe", params: { uri } })).error).toBeUndefined();
  const reader = await NotificationReader.open(server.origin, { session });
  await announceChange(database, slug);
  expect(await reader.next()).toMatchObject({ method: "notifications/resources/updated", params: { uri } });
  reader.close();
});

it("a killed process is started again while the other answers, and sequences go on", async () => {
  expect(await next("killed")).toBe(first);
  const [pid] = workerPids() as [number];
  process.kill(pid, "SIGKILL");
  await expect.poll(() => workerPids().includes(pid)).toBe(false);
  expect(await next("killed")).toBe(503);
  expect((await replay()).status).toBe(200);
  await untilAllAnswer();
  expect(await next("killed")).toBe(second);
  expect(workerPids()).toHaveLength(2);
  expect(server.output()).toMatch(/Server process [12] is not running \(SIGKILL\)\. It is started again\./);
});

it.runIf(isExtended)("a process whose event loop does not run is started again", async () => {
  const [pid] = workerPids() as [number];
  process.kill(pid, "SIGSTOP");
  await expect.poll(() => workerPids().includes(pid)).toBe(false);
  await untilAllAnswer();
  expect(server.output()).toMatch(/The event loop of server process [12] has not run for 20 s/);
});

it("SIGTERM ends all processes, and open streams after a grace period", async () => {
  const open = [1, 2].map(() => request(`${server.origin}/api/v1/replay/${first}?speed=0.1`, { agent: false }).end());
  await Promise.all(open.map((each) => once(each, "response").then(([response]) => response.resume())));
  const pids = workerPids();
  const closed = Promise.all(open.map((each) => once(each, "close")));
  const ended = once(server.process, "exit");
  server.process.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await closed;
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});
