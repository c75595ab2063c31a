import { createServer } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { createTestDatabase } from "#tests/support/database";
import { readStream } from "#tests/support/read-stream";
import { startRedis } from "#tests/support/redis";
import { type Adapter, type Served, serve } from "#tests/support/serve";
import { longTimeouts } from "#tests/support/start-app";
import { UpstashDouble } from "#tests/support/upstash-double";

const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

async function start(adapter: Adapter, environment: Record<string, string>): Promise<Served> {
  const served = await serve(adapter, { LOG_LEVEL: "info", ...environment });
  toClose.push(() => served.stop());
  return served;
}

async function startStores() {
  const database = await createTestDatabase();
  toClose.push(() => database.drop());
  const redis = await startRedis();
  toClose.push(() => redis.stop());
  const upstash = await UpstashDouble.start(redis.port);
  toClose.push(() => upstash.close());
  const context = { database: database.client, clock: systemClock, ids: systemIds };
  return { database, upstash, issueKey: async () => (await createKey(context, { tier: "free" })).key };
}

/** Sends a request that is counted and then refused for its query, so the key is not rotated. */
function count({ origin }: Served, headers: Record<string, string>) {
  return readStream(`${origin}/api/v1/keys/rotate?grace=no`, { method: "POST", headers });
}

const uncounted = "requests are served without being counted";
/** The log arrives through a pipe, so it can arrive after the response. */
const logged = (app: Served) => vi.waitFor(() => expect(app.output()).toContain(uncounted), { timeout: 10_000 });

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe("limits in Redis", () => {
  it("allow exactly 100 of 200 concurrent requests to two instances; an outage disables limits", async () => {
    const { database, upstash, issueKey } = await startStores();
    const environment = { DATABASE_URL: database.url, ...upstash.environment, ...longTimeouts };
    const served = await Promise.all([start("node", environment), start("route", environment)]);
    const key = await issueKey();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => count(served[index % 2] as Served, bearer(key))),
    );
    const passed = answers.filter(({ status }) => status === 400);
    expect([passed.length, answers.filter(({ status }) => status === 429).length]).toEqual([100, 100]);
    const left = passed.map(({ headers }) => Number(headers["x-ratelimit-remaining"]));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(await database.client.limitWindow.count()).toBe(0);

    upstash.mode = "down";
    for (let request = 0; request < 3; request += 1) {
      const { status, headers } = await count(served[0], bearer(key));
      expect([status, headers["x-ratelimit-limit"]]).toEqual([400, undefined]);
    }
    await logged(served[0]);
    expect(served[0].output().split(uncounted)).toHaveLength(2);
    upstash.mode = "fine";
    expect((await count(served[0], bearer(key))).status).toBe(429);
    const impatient = await start("node", { ...environment, LIMIT_STORE_TIMEOUT_MS: "50" });
    upstash.mode = "slow";
    expect((await count(impatient, bearer(key))).status).toBe(400);
  });
});

describe("limits without their store", () => {
  it("serve a request whose key needs no lookup as usual while the database is unreachable", async () => {
    // It reads, because otherwise it would not notice that a client has disconnected, and never close.
    const silent = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
    await new Promise((settle) => silent.once("listening", settle));
    toClose.push(() => new Promise((settle) => silent.close(settle)));
    const { port } = silent.address() as { port: number };
    for (const place of ["127.0.0.1:1", `127.0.0.1:${port}`]) {
      const url = `postgres://someone:hidden@${place}/none`;
      const app = await start("node", { DATABASE_URL: url, DATABASE_TIMEOUT_MS: "1000" });
      const { status, headers, body } = await count(app, bearer("broken"));
      expect([place, status, headers["x-ratelimit-limit"]]).toEqual([place, 401, undefined]);
      expect(body.toString()).not.toContain("hidden");
      await logged(app);
      expect(app.output()).not.toContain("hidden");
    }
  });

  it("serve requests without a database, but answer 503 to those with a key", async () => {
    const app = await start("node", { DATABASE_URL: "" });
    expect((await count(app, {})).status).toBe(401);
    const { status, body } = await count(app, bearer("ltf_000000000000000000000000000000004NW1lu"));
    expect([status, JSON.parse(body.toString()).code]).toEqual([503, "service_unavailable"]);
  });
});

describe("behind a proxy", () => {
  it("TRUST_PROXY=on counts a client by the address that the proxy saw, off by that of the socket", async () => {
    const { database } = await startStores();
    const remaining = async (app: Served, forwarded: string) =>
      (await count(app, { "x-forwarded-for": forwarded })).headers["x-ratelimit-remaining"];
    const trusting = await start("node", { DATABASE_URL: database.url, TRUST_PROXY: "on" });
    expect(await remaining(trusting, "203.0.113.1")).toBe("99");
    expect(await remaining(trusting, "198.51.100.7, 203.0.113.1")).toBe("98");
    expect(await remaining(trusting, "203.0.113.1, 203.0.113.2")).toBe("99");
    expect(await remaining(trusting, "2001:db8:0:1::1")).toBe("99");
    expect(await remaining(trusting, "2001:db8:0:1::2")).toBe("98");
    const distrusting = await start("node", { DATABASE_URL: database.url });
    expect(await remaining(distrusting, "203.0.113.1")).toBe("99");
    expect(await remaining(distrusting, "203.0.113.9")).toBe("98");
  });
});
