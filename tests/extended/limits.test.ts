import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { besideBusyProcesses } from "#tests/support/busy-processes";
import { createTestDatabase } from "#tests/support/database";
import { eventually } from "#tests/support/eventually";
import { bearer, countRequest, expectExactLimit } from "#tests/support/limits";
import { listen } from "#tests/support/listen";
import { startRedis } from "#tests/support/redis";
import { type Adapter, type Served, serve } from "#tests/support/serve";
import { longTimeouts } from "#tests/support/start-app";
import { UpstashDouble } from "#tests/support/upstash-double";

async function start(adapter: Adapter, environment: Record<string, string>): Promise<Served> {
  const served = await serve(adapter, { CASSETTE_STORE: "none", LOG_LEVEL: "info", ...environment });
  onTestFinished(() => served.stop());
  return served;
}

async function startStores() {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const upstash = await UpstashDouble.start(redis.port);
  const context = { database: database.client, clock: systemClock, ids: systemIds };
  return { database, upstash, issueKey: async () => (await createKey(context, { tier: "free" })).key };
}

const count = ({ origin }: Served, headers: Record<string, string>) => countRequest(origin, headers);

/** More requests at once, beside busy processes. */
const [crowdCount, busyCount] = [1_000, 4];

const down = "the store of the limits is down";
/** The log arrives through a pipe, so it can arrive after the response. */
const logged = (app: Served) => eventually(() => expect(app.output()).toContain(down));

describe("limits in Redis", () => {
  it("are exact on two instances and a busy machine, and the database replaces Redis", async () => {
    const { database, upstash, issueKey } = await startStores();
    const environment = { DATABASE_URL: database.url, ...upstash.environment, ...longTimeouts };
    const served = await Promise.all([start("node", environment), start("route", environment)]);
    const origins = served.map(({ origin }) => origin);
    const key = await issueKey();
    await expectExactLimit(origins, { requestCount: 200, key: await issueKey() });
    await besideBusyProcesses(busyCount, () => expectExactLimit(origins, { requestCount: crowdCount, key }));
    expect(await database.client.limitWindow.count()).toBe(0);

    upstash.mode = "down";
    const other = bearer(await issueKey());
    for (const remaining of ["99", "98", "97"]) {
      const { status, headers } = await count(served[0], other);
      expect([status, headers["x-ratelimit-remaining"]]).toEqual([400, remaining]);
    }
    await logged(served[0]);
    expect(served[0].output().split(down)).toHaveLength(2);
    expect((await count(served[0], bearer(key))).status).toBe(429);
    upstash.mode = "fine";
    expect((await count(served[0], other)).headers["x-ratelimit-remaining"]).toBe("99");
    upstash.mode = "slow";
    const impatient = await start("node", { ...environment, LIMIT_STORE_TIMEOUT_MS: "50" });
    expect((await count(impatient, other)).status).toBe(400);
    await logged(impatient);
  }, 600_000);
});

describe("limits without their store", () => {
  it("serve a request whose key needs no lookup as usual while the database is unreachable", async () => {
    // It reads, because otherwise it would not notice that a client has disconnected, and never close.
    const port = await listen(createServer((socket) => socket.on("error", () => {}).resume()));
    const url = `postgres://someone:hidden@127.0.0.1:${port}/none`;
    const app = await start("node", { DATABASE_URL: url, DATABASE_TIMEOUT_MS: "1000" });
    const { status, headers, body } = await count(app, bearer("broken"));
    expect([status, headers["x-ratelimit-limit"]]).toEqual([401, undefined]);
    expect(body.toString()).not.toContain("hidden");
    await logged(app);
    expect(app.output()).not.toContain("hidden");
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
    const environment = { DATABASE_URL: database.url, REQUESTS_PER_DAY_WITHOUT_KEY: "2" };
    const trusting = await start("node", { ...environment, TRUST_PROXY: "on" });
    expect(await remaining(trusting, "203.0.113.1")).toBe("1");
    expect(await remaining(trusting, "198.51.100.7, 203.0.113.1")).toBe("0");
    expect(await remaining(trusting, "203.0.113.1, 203.0.113.2")).toBe("1");
    expect(await remaining(trusting, "2001:db8:0:1::1")).toBe("1");
    expect(await remaining(trusting, "2001:db8:0:1::2")).toBe("0");
    const distrusting = await start("node", environment);
    expect(await remaining(distrusting, "203.0.113.1")).toBe("1");
    expect(await remaining(distrusting, "203.0.113.9")).toBe("0");
    const refused = await count(distrusting, {});
    expect([refused.status, JSON.parse(refused.body.toString()).error]).toEqual([
      429,
      expect.stringMatching(/^Today's 2 requests .* keys create --tier pro$/),
    ]);
  });
});
