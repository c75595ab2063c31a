import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { createDatabase } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { eventually } from "#tests/support/eventually";
import { isExtended } from "#tests/support/extended";
import { type OwnPostgres, startOwnPostgres } from "#tests/support/own-postgres";
import { type Served, serve } from "#tests/support/serve";

/** Time-outs of the service. The tests wait for them; a busy machine may take longer to answer. */
const timeouts = { DATABASE_TIMEOUT_MS: "2000", LIMIT_STORE_TIMEOUT_MS: "200" };
/** Without time-outs, the requests would never be answered. */
const answerTimeoutMs = 60_000;

let postgres: OwnPostgres;
let app: Served;
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
  await database.$disconnect();
  app = await serve("node", { DATABASE_URL: postgres.url, CRON_SECRET: "0123456789abcdef", ...timeouts });
  const openSession = async () => {
    const opened = await call("/api/mcp/v2", { method: "POST", body: initialize });
    session = opened.headers.get("mcp-session-id") ?? "";
    return session;
  };
  await eventually(async () => expect(await openSession()).not.toBe(""));
});
afterEach(() => postgres.resume());
afterAll(async () => {
  await app.stop();
  await postgres.remove();
});

async function untilReady(): Promise<void> {
  const isReady = async () => (await call("/api/v1/vendors")).status;
  await expect.poll(isReady, { timeout: 300_000 }).toBe(200);
}

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

  it.runIf(isExtended)("pages that can do without it are shown", async () => {
    await untilReady();
    postgres.hang();
    for (const path of ["/", "/status", "/docs", "/replay"]) {
      expect([path, (await call(path)).status]).toEqual([path, 200]);
    }
  });
});

it.runIf(isExtended)("a restart of the database is survived in the same way", async () => {
  await untilReady();
  await postgres.stop();
  await expectUnavailable();
  await postgres.start();
  await untilReady();
});

it("the log has one line at level warn for each such request", () => {
  const lines = app.output().split("\n").filter(Boolean);
  expect(lines.some((line) => line.includes('"level":40') && line.includes("request failed"))).toBe(true);
  expect(lines.filter((line) => /^\s+at |unhandledRejection|"level":50/.test(line))).toEqual([]);
});
