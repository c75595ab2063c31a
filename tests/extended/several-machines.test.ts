import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { createTestDatabase } from "#tests/support/database";
import { eventually } from "#tests/support/eventually";
import { bearer, expectExactLimit } from "#tests/support/limits";
import { openMcpSession, sendRpc } from "#tests/support/mcp";
import { NotificationReader } from "#tests/support/notification-reader";
import { startPgBouncer } from "#tests/support/pgbouncer";
import { startRedis } from "#tests/support/redis";
import { startRoundRobin } from "#tests/support/round-robin";
import { type CliRun, runCli, startCli } from "#tests/support/run-cli";
import { serve } from "#tests/support/serve";
import { longTimeouts } from "#tests/support/start-app";
import { startTestVendors } from "#tests/support/test-vendors";
import { UpstashDouble } from "#tests/support/upstash-double";
import { file, late } from "#tests/support/vendor-answers";
import { addVendor } from "#tests/support/vendor-rows";
import { Receiver } from "#tests/support/webhook-receivers";

const vendorCount = 30;
const [appCount, workerCount] = [2, 3];
const until = (condition: () => unknown) => eventually(condition);

const first =
  "# Acme\n\n> What it offers.\n\n## API\n\n- [Charges](https://docs.example.com/charges): take a payment\n";
const second = `${first}\nBreaking change: the charges API is deprecated and will be removed on 1 March 2027.\n`;

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

type Route = "directly" | "through PgBouncer";

/** Starts the example of the docs: app instances behind a proxy, and workers, that share a database and Redis only. */
async function startMachines(route: Route) {
  const database = await createTestDatabase();
  toClose.push(() => database.drop());
  const bouncer = route === "directly" ? undefined : await startPgBouncer(database.url);
  if (bouncer) toClose.push(() => bouncer.stop());
  const redis = await startRedis();
  toClose.push(() => redis.stop());
  const upstash = await UpstashDouble.start(redis.port);
  toClose.push(() => upstash.close());
  const vendors = await startTestVendors({ vendorCount });
  toClose.push(() => vendors.close());
  for (const { slug, name, url, host } of vendors.vendors) {
    await addVendor(database.client, { slug, name, llmsTxtUrl: url, domain: host });
    vendors.setVersions(slug, [first, second]);
  }
  const receiver = new Receiver();
  await receiver.start();
  toClose.push(() => receiver.stop());
  const machine = () => {
    const folder = mkdtempSync(join(tmpdir(), "tapedeck-machine-"));
    toClose.push(() => rmSync(folder, { recursive: true, force: true }));
    return {
      DATABASE_URL: bouncer?.url ?? database.url,
      ...upstash.environment,
      ...longTimeouts,
      ENCRYPTION_KEYS: Buffer.alloc(32, 5).toString("base64"),
      TAPEDECK_DATA_DIR: folder,
      LOG_LEVEL: "warn",
      OUTBOUND_ALLOWED_HOSTS: [...vendors.allowedHosts, receiver.host].join(","),
    };
  };
  const apps = await Promise.all(Array.from({ length: appCount }, () => serve("node", machine())));
  for (const app of apps) toClose.push(() => app.stop());
  const proxy = await startRoundRobin(apps.map(({ origin }) => origin));
  toClose.push(() => proxy.stop());
  const startWorkers = (): CliRun[] =>
    Array.from({ length: workerCount }, () => {
      const worker = startCli(["worker", "--concurrency", "4"], { environment: machine() });
      toClose.push(async () => {
        worker.process.kill("SIGTERM");
        await worker.ended;
      });
      return worker;
    });
  const issueKey = async (tier: "free" | "pro") =>
    (await createKey({ database: database.client, clock: systemClock, ids: systemIds }, { tier })).key;
  return { client: database.client, vendors, receiver, apps, proxy, startWorkers, issueKey };
}

describe.each<Route>(["directly", "through PgBouncer"])(
  "two app instances and three workers that reach the database %s",
  (route) => {
    it("behave as one service", async () => {
      const { client, vendors, receiver, apps, proxy, startWorkers, issueKey } = await startMachines(route);
      const origins = apps.map(({ origin }) => origin);

      // One daily limit.
      await expectExactLimit(origins, { requestCount: 120, key: await issueKey("free") });

      // A webhook, and a session with a subscription, over the proxy.
      const key = await issueKey("pro");
      const registered = await fetch(`${proxy.origin}/api/v1/webhooks`, {
        method: "POST",
        headers: { ...bearer(key), "content-type": "application/json" },
        body: JSON.stringify({ url: receiver.url, events: ["intelligence.high_significance"] }),
      });
      const { secret } = (await registered.json()) as { secret: string };
      expect(registered.status).toBe(201);
      const [vendor] = vendors.vendors;
      const session = await openMcpSession({ key, origin: proxy.origin });
      const uri = `tapedeck://vendors/${vendor?.slug}`;
      for (const origin of origins) {
        const subscribed = await sendRpc(
          "/api/mcp/v2",
          { id: 1, method: "resources/subscribe", params: { uri } },
          { key, session, origin },
        );
        expect(subscribed.json.result).toEqual({});
      }

      // Workers share the vendors, and each is fetched once.
      for (const { slug } of vendors.vendors) vendors.setAnswer(slug, late(100, file()));
      const workers = startWorkers();
      await until(async () => expect(await client.fetch.count({ where: { outcome: "changed" } })).toBe(vendorCount));
      expect(vendors.requests.filter(({ path }) => path === "/llms.txt")).toHaveLength(vendorCount);
      const runs = await client.fetch.groupBy({ by: ["runId"], _count: true });
      expect(runs.length).toBeGreaterThan(1);

      // A change reaches the stream of the other instance, the feed of each instance, and the webhook once.
      const reader = await NotificationReader.open(origins[1] ?? "", { session, key });
      for (const { slug } of vendors.vendors) vendors.setVersion(slug, 2);
      await client.vendor.updateMany({ data: { nextFetchAt: new Date(Date.now() - 60_000) } });
      expect(await reader.next()).toMatchObject({ method: "notifications/resources/updated", params: { uri } });
      reader.close();
      await until(() => expect(receiver.received).toHaveLength(vendorCount));
      expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(vendorCount);
      for (const { headers, body } of receiver.received)
        expect(headers["x-ltf-signature"]).toBe(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
      for (const origin of origins) {
        const response = await fetch(`${origin}/api/v1/intelligence?limit=50`, { headers: bearer(key) });
        const { intelligence } = (await response.json()) as { intelligence: { significance: number }[] };
        expect(intelligence.filter(({ significance }) => significance >= 4)).toHaveLength(vendorCount);
      }

      // One of each is killed: the others go on.
      apps[0]?.process.kill("SIGKILL");
      workers[0]?.process.kill("SIGKILL");
      await workers[0]?.ended;
      await client.vendor.updateMany({ data: { nextFetchAt: new Date(Date.now() - 60_000) } });
      for (let count = 0; count < 4; count += 1) {
        const listed = await fetch(`${proxy.origin}/api/v1/vendors`, { headers: bearer(key) });
        expect(listed.status).toBe(200);
      }
      await until(async () => expect(await client.fetch.count()).toBe(3 * vendorCount));
      expect(receiver.received).toHaveLength(vendorCount);
    }, 300_000);
  },
);

it("instances that start at the same time apply the migrations once, through PgBouncer", async () => {
  const database = await createTestDatabase({ isEmpty: true });
  toClose.push(() => database.drop());
  const bouncer = await startPgBouncer(database.url);
  toClose.push(() => bouncer.stop());
  for (let round = 0; round < 3; round += 1) {
    const migrate = () => runCli(["database", "migrate"], { environment: { DATABASE_URL: bouncer.url } });
    const runs = await Promise.all([migrate(), migrate(), migrate()]);
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, ""]));
    const applied = runs.filter(({ stdout }) => stdout.startsWith("applied"));
    expect(applied).toHaveLength(round === 0 ? 1 : 0);
  }
}, 120_000);
