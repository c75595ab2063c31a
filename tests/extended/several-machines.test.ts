import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { withClient } from "#lib/platform/database/postgres-connection";
import { createTestDatabase } from "#tests/support/database";
import { eventually } from "#tests/support/eventually";
import { bearer, expectExactLimit } from "#tests/support/limits";
import { startMachines } from "#tests/support/machines";
import { openMcpSession, sendRpc } from "#tests/support/mcp";
import { NotificationReader } from "#tests/support/notification-reader";
import { startPgBouncer } from "#tests/support/pgbouncer";
import { runCli } from "#tests/support/run-cli";
import { file, late } from "#tests/support/vendor-answers";

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

/** Starts the machines, with two versions of each vendor's file. */
async function start(route: Route) {
  const database = await createTestDatabase();
  toClose.push(() => database.drop());
  const name = new URL(database.url).pathname.slice(1);
  await database.client.$executeRawUnsafe(`ALTER DATABASE "${name}" SET timezone = 'America/Los_Angeles'`);
  const bouncer = route === "directly" ? undefined : await startPgBouncer(database.url);
  if (bouncer) toClose.push(() => bouncer.stop());
  const databaseUrl = bouncer?.url ?? database.url;
  const zone = await withClient({ connectionString: databaseUrl }, (client) => client.query("SHOW timezone"));
  expect(zone.rows).toEqual([{ TimeZone: "UTC" }]);
  const { client } = database;
  const machines = await startMachines({ databaseUrl, client, vendorCount, appCount, concurrency: 4, toClose });
  for (const { slug } of machines.vendors.vendors) machines.vendors.setVersions(slug, [first, second]);
  return { ...machines, client, proxy: await machines.startProxy() };
}

describe.each<Route>(["directly", "through PgBouncer"])(
  "two app instances and three workers that reach the database %s",
  (route) => {
    it("behave as one service", async () => {
      const { client, vendors, receiver, apps, proxy, startWorker, issueKey, registerWebhook } = await start(route);
      const origins = apps.map(({ origin }) => origin);

      // One daily limit.
      await expectExactLimit(origins, { requestCount: 120, key: await issueKey("free") });

      // A webhook, and a session with a subscription, over the proxy.
      const key = await issueKey("pro");
      const registered = await registerWebhook(proxy.origin, key);
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
      const workers = Array.from({ length: workerCount }, startWorker);
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
    });
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
});
