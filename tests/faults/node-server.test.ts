import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { createDatabase } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { pageBounds } from "#lib/server/http/page-queue";
import { eventually } from "#tests/support/eventually";
import { isExtended } from "#tests/support/extended";
import { bearer } from "#tests/support/limits";
import { parseOpenMetrics, sampleOf } from "#tests/support/open-metrics";
import { type OwnPostgres, startOwnPostgres } from "#tests/support/own-postgres";
import { readStream } from "#tests/support/read-stream";
import { type Served, serve } from "#tests/support/serve";
import { addVendor } from "#tests/support/vendor-rows";

/** Time-outs of the service. The tests wait for them; a busy machine may take longer to answer. */
const timeouts = { DATABASE_TIMEOUT_MS: "2000", LIMIT_STORE_TIMEOUT_MS: "200" };
/** Without time-outs, the requests would never be answered. */
const answerTimeoutMs = 60_000;
const metricsToken = "a token of the metrics";

let postgres: OwnPostgres;
let app: Served;
let second: Served;
let key: string;
let session: string;

const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const initialize = rpc("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

type Request = { method?: string; headers?: Record<string, string>; body?: string };

function call(path: string, { headers = {}, ...request }: Request = {}): Promise<Response> {
  const signal = AbortSignal.timeout(answerTimeoutMs);
  const given = { ...(request.body && { "Content-Type": "application/json" }), ...headers };
  return fetch(`${app.origin}${path}`, { ...request, headers: given, signal });
}

beforeAll(async () => {
  postgres = await startOwnPostgres();
  const database = createDatabase(postgres.url);
  const context = { database, clock: systemClock, ids: systemIds };
  ({ key } = await createKey(context, { tier: "pro", label: "test", expiresAt: null }));
  await addVendor(database, { at: new Date(Date.now() - 3_600_000) });
  await database.$disconnect();
  const environment = { DATABASE_URL: postgres.url, METRICS_TOKEN: metricsToken, ...timeouts };
  app = await serve("node", { ...environment, CRON_SECRET: "0123456789abcdef" });
  second = isExtended ? await serve("route", environment) : app;
  const openSession = async () => {
    const opened = await call("/api/mcp/v2", { method: "POST", body: initialize });
    session = opened.headers.get("mcp-session-id") ?? "";
    return session;
  };
  await eventually(async () => expect(await openSession()).not.toBe(""));
});
afterEach(() => postgres.resume());
afterAll(async () => {
  for (const served of new Set([app, second])) await served?.stop();
  await postgres.remove();
});

async function untilReady(): Promise<void> {
  const isReady = async () => (await call("/api/v1/vendors")).status;
  await expect.poll(isReady, { timeout: 300_000 }).toBe(200);
}

async function scrape({ origin }: Served) {
  const { status, headers, body } = await readStream(`${origin}/metrics`, { headers: bearer(metricsToken) });
  expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
  expect(headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  return parseOpenMetrics(body.toString());
}

/** Scrapes until a sample is what it should be: what was read from the database is shared for five seconds. */
const untilSample = (served: Served, sample: string, value: number) =>
  expect.poll(async () => sampleOf(await scrape(served), sample), { interval: 500, timeout: 300_000 }).toBe(value);

describe("GET /metrics", () => {
  it.each([
    ["no", {}],
    ["a wrong", bearer("a token of the metricz")],
  ])("is a 401 with %s token", async (_kind, headers) => {
    for (const { origin } of [app, second]) {
      const { status, body } = await readStream(`${origin}/metrics`, { headers: { ...headers } });
      expect([status, JSON.parse(body.toString())]).toMatchObject([401, { code: "unauthorized", status: 401 }]);
    }
  });

  it.each([
    ["the Node server", () => app],
    ...(isExtended ? [["route handlers", () => second] as const] : []),
  ] as const)("counts requests, unknown paths and streams of %s", async (_adapter, get) => {
    const served = get();
    const before = await scrape(served);
    await readStream(`${served.origin}/api/v1/replay/developer-tools/explain-sse?speed=max`);
    await readStream(`${served.origin}/api/v1/no-such-path`);
    const after = await scrape(served);
    const risen = (sample: string) => (sampleOf(after, sample) ?? 0) - (sampleOf(before, sample) ?? 0);
    expect(risen('tapedeck_http_requests_total{endpoint="streamReplay",method="GET",status="2xx"}')).toBe(1);
    expect(risen('tapedeck_http_requests_total{endpoint="none",method="any",status="4xx"}')).toBe(1);
    expect(risen('tapedeck_http_requests_total{endpoint="getMetrics",method="GET",status="2xx"}')).toBe(1);
    expect(risen("tapedeck_replay_streams_started_total")).toBe(1);
    expect(risen('tapedeck_replay_streams_ended_total{outcome="complete"}')).toBe(1);
    expect(risen("tapedeck_replay_chunk_lateness_seconds_count")).toBeGreaterThan(10);
    expect(risen('tapedeck_http_request_duration_seconds_count{endpoint="streamReplay"}')).toBe(1);
    expect(sampleOf(after, 'tapedeck_database_pool_connections{pool="requests"}')).toBeGreaterThan(0);
    expect(sampleOf(after, "tapedeck_nodejs_eventloop_lag_p99_seconds")).toBeGreaterThan(0);
  });

  it("counts pages in front of Next.js", async () => {
    const page = 'tapedeck_http_requests_total{endpoint="page",method="GET",status="2xx"}';
    const before = sampleOf(await scrape(app), page) ?? 0;
    await readStream(`${app.origin}/pricing`);
    await untilSample(app, page, before + 1);
  });

  it("shows a stream while it is open, and that its reader left", async () => {
    const controller = new AbortController();
    const url = `${app.origin}/api/v1/replay/developer-tools/explain-sse?speed=0.1`;
    const response = await fetch(url, { signal: controller.signal });
    await untilSample(app, "tapedeck_replay_streams_open", 1);
    controller.abort();
    await response.text().catch(() => undefined);
    await untilSample(app, "tapedeck_replay_streams_open", 0);
    expect(sampleOf(await scrape(app), 'tapedeck_replay_streams_ended_total{outcome="disconnected"}')).toBe(1);
  });

  it("counts refusals by a limit, and is not limited itself", async () => {
    let refused = 0;
    while (refused < 3) {
      // The address of these requests alone.
      const { status } = await readStream(`${app.origin}/api/v1/feed`, { localAddress: "127.0.0.15" });
      if (status === 429) refused += 1;
    }
    await untilSample(app, 'tapedeck_refused_total{kind="address"}', 3);
  });

  // In one instance, the metrics while the database hangs are checked below.
  it.runIf(isExtended)(
    "has the same metrics of the installation on each instance, until the database does not answer",
    async () => {
      await untilSample(app, "tapedeck_vendors_due", 1);
      await untilSample(second, "tapedeck_vendors_due", 1);
      const installation = async (served: Served) => {
        const families = [...(await scrape(served))];
        return families.filter(([name]) => /_(queue|vendors|webhook|fetches|job)_|database_up/.test(name));
      };
      const names = async (served: Served) => (await installation(served)).map(([name]) => name);
      expect(await names(second)).toEqual(await names(app));
      const queues = async (served: Served) => (await installation(served)).find(([name]) => /queue_jobs/.test(name));
      expect(await queues(second)).toEqual(await queues(app));
      postgres.hang();
      await untilSample(app, "tapedeck_database_up", 0);
      expect(await names(app)).toEqual(["tapedeck_database_up"]);
      postgres.resume();
      await untilSample(app, "tapedeck_database_up", 1);
    },
  );
});

const connectionCount = 5;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/**
 * Sends pipelined requests for a path on each of five connections. Returns the status lines so far, by connection, and
 * whether it has closed.
 */
async function flood(path: string, requestCount: number): Promise<() => string[][]> {
  const { port } = new URL(app.origin);
  const texts = Array.from({ length: connectionCount }, () => "");
  const closed = new Set<number>();
  for (let index = 0; index < connectionCount; index += 1) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.setEncoding("latin1").on("data", (text: string) => {
      texts[index] += text;
    });
    socket.on("error", () => undefined).once("close", () => closed.add(index));
    sockets.push(socket);
    await once(socket, "connect");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(requestCount));
  }
  return () =>
    texts.map((text, index) => [
      ...(text.match(/HTTP\/1\.1 \d{3}(?= )/g) ?? []),
      ...(closed.has(index) ? ["closed"] : []),
    ]);
}

describe("pipelined requests on five connections", () => {
  it.each([
    ["/api/v1/cassettes", 40],
    ...(isExtended
      ? ([
          ["/og/x.png", 40],
          ["/docs/api/replay", 2],
        ] as const)
      : []),
  ] as const)("for %s are all answered, and requests of other clients in between", async (path, requestCount) => {
    const answered = await flood(path, requestCount);
    for (let request = 0; request < 3; request += 1) {
      expect((await fetch(`${app.origin}/api/v1/health`)).status).toBe(200);
    }
    const expected = Array.from({ length: connectionCount }, () => Array(requestCount).fill("HTTP/1.1 200"));
    const isAnswered = () => expect(answered(), app.output().slice(-4_000)).toEqual(expected);
    await eventually(isAnswered);
  });

  it("beyond 65 close the connection", async () => {
    await flood("/api/v1/cassettes", 200);
    await eventually(() => expect(sockets.every(({ destroyed }) => destroyed)).toBe(true));
  });
});

describe.each(["/pricing", "/api/v1/search?q=break+clause"])("requests for %s on many connections", (path) => {
  it("beyond the bound of a client are refused, and the others are dropped with their connections", async () => {
    const controller = new AbortController();
    const pages = Array.from({ length: pageBounds.maxForLoopback + 150 }, async () => {
      const response = await fetch(app.origin + path, { signal: controller.signal });
      if (response.status !== 503) throw new Error("It was answered.");
      return response.text();
    });
    expect(await Promise.any(pages)).toContain("Too many pages and searches are waiting.");
    controller.abort();
    await Promise.allSettled(pages);
    expect((await fetch(app.origin + path)).status).toBe(200);
  });
});

describe("requests for pages on many connections", () => {
  it.runIf(isExtended)("do not hold up other requests", async () => {
    let renderedCount = 0;
    const pages = Array.from({ length: 100 }, async () => {
      const response = await fetch(`${app.origin}/docs/api/replay`);
      renderedCount += 1;
      return response.body?.cancel();
    });
    await eventually(() => expect(renderedCount).toBeGreaterThan(0));
    const before = renderedCount;
    // Not the health, which waits for the database.
    expect((await fetch(`${app.origin}/api/v1/cassettes`)).status).toBe(200);
    expect(renderedCount - before).toBeLessThan(pages.length / 2);
    await Promise.all(pages);
  });
});

/** Everything that needs the database. */
function requests(): [name: string, path: string, request?: Request][] {
  const authorized = { Authorization: `Bearer ${key}` };
  const inSession = { "Mcp-Session-Id": session };
  return [
    ["public list", "/api/v1/vendors"],
    ["with a key", "/api/v1/feed", { headers: authorized }],
    ["a transaction", "/api/v1/keys/rotate", { method: "POST", headers: authorized, body: "{}" }],
    ["a job", "/api/cron/prune", { headers: { Authorization: "Bearer 0123456789abcdef" } }],
    ["a feed", "/feed.xml"],
    ["a new MCP session", "/api/mcp/v2", { method: "POST", body: initialize }],
    ["an MCP session", "/api/mcp/v2", { method: "POST", headers: inSession, body: rpc("tools/list", {}) }],
    ["a stream", "/api/mcp/v2", { headers: { ...inSession, Accept: "text/event-stream" } }],
    ["the directory", "/vendors"],
    ["a vendor's page", "/vendors/stripe"],
    ["a diff's page", "/vendors/stripe/diffs/01997a3c-5f0e-7b52-8d10-6f1f5b3c9a41"],
  ];
}

async function expectUnavailable(): Promise<void> {
  const answers = requests().map(async ([name, path, request]) => {
    const response = await call(path, request);
    const type = response.headers.get("content-type") ?? "";
    const text = await response.text();
    const code = type.includes("json") ? JSON.parse(text).code : text.includes("The database does not answer");
    return [name, response.status, response.headers.get("retry-after"), code];
  });
  const isPage = (path: string) => path.startsWith("/vendors");
  expect(await Promise.all(answers)).toEqual(
    requests().map(([name, path]) => [name, 503, "5", isPage(path) ? true : "service_unavailable"]),
  );
}

describe("while the database hangs", () => {
  it("everything that needs it answers 503 with Retry-After, and works again afterwards", async () => {
    await untilReady();
    postgres.hang();
    await expectUnavailable();
    // The first requests lost the open connections; the next ones find no new connection.
    await expectUnavailable();
    const health = await (await call("/api/v1/health")).json();
    expect(health).toMatchObject({ status: "ok", db_connected: false });
    await untilSample(app, "tapedeck_database_up", 0);
    postgres.resume();
    await untilReady();
    await expect.poll(async () => (await call("/vendors")).status, { timeout: 300_000 }).toBe(200);
    const isConnected = async () => (await (await call("/api/v1/health")).json()).db_connected;
    await expect.poll(isConnected, { timeout: 300_000 }).toBe(true);
  });

  it.runIf(isExtended)("an MCP tool returns a result that says so, and a resource an error", async () => {
    await untilReady();
    postgres.hang();
    const post = async (method: string, params: object) => {
      const response = await call("/api/mcp", { method: "POST", body: rpc(method, params) });
      return (await response.json()) as { result?: object; error?: object };
    };
    const { result } = await post("tools/call", { name: "search_vendors", arguments: { q: "stripe" } });
    const text = expect.stringContaining("The database does not answer");
    expect(result).toMatchObject({ isError: true, content: [{ text }] });
    const { error } = await post("resources/read", { uri: "tapedeck://vendors/stripe" });
    expect(error).toMatchObject({ code: -32603, message: text });
  });

  it("pages that can do without it are shown", async () => {
    await untilReady();
    postgres.hang();
    for (const path of isExtended ? ["/", "/status", "/docs", "/replay"] : ["/", "/status"]) {
      expect([path, (await call(path)).status]).toEqual([path, 200]);
    }
  });
});

it("the log has one line at level warn for each such request", () => {
  const lines = app.output().split("\n").filter(Boolean);
  expect(lines.some((line) => line.includes('"level":40') && line.includes("request failed"))).toBe(true);
  expect(lines.filter((line) => /^\s+at |unhandledRejection|"level":50/.test(line))).toEqual([]);
});
