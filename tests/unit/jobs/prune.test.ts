import { pino } from "pino";
import { expect, it } from "vitest";
import { findJob, runJob } from "#lib/jobs/index";
import { systemClock } from "#lib/platform/clock";
import { withEnvironment } from "#lib/platform/config";
import { systemIds } from "#lib/platform/ids";
import { sharedDatabase } from "#tests/support/shared-database";
import { addVendor, addVersion, idsAt } from "#tests/support/vendor-rows";
import { addCaller, addWebhook } from "#tests/support/webhook-receivers";

const dayMs = 24 * 60 * 60 * 1_000;
let now = new Date(Math.floor(Date.now() / dayMs) * dayMs);
const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);

const database = sharedDatabase();

const prune = async () => {
  const clock = { ...systemClock, now: () => now };
  const log = pino({ level: "silent" });
  const context = { database: database.client, clock, ids: systemIds, log, origin: "http://127.0.0.1", siteUrls: {} };
  return (await runJob(context, findJob("prune"))).summary;
};

it("a machine whose clock is far ahead of the database's deletes nothing", async () => {
  const { client } = database;
  await client.limitWindow.create({ data: { subject: "recent", day: now, count: 1 } });
  const right = now;
  now = daysAgo(-5);
  await expect(prune()).rejects.toThrow("days ahead of the database's. Nothing was deleted.");
  now = right;
  expect(await client.limitWindow.count()).toBe(1);
  await client.limitWindow.deleteMany();
});

it("vendors and deliveries for which a clock that was ahead wrote a time are due again, and no others", async () => {
  const { client } = database;
  const days = (count: number) => daysAgo(-count);
  const [caller, clock] = [await addCaller(client), { ...systemClock, now: () => now }];
  const webhook = await addWebhook(client, caller, "http://127.0.0.1:9/", clock);
  const data = { id: systemIds.next(), type: "t", body: "{}", createdAt: now };
  const { id: eventId } = await client.webhookEvent.create({ data });
  const times = [
    [days(30), days(30), true],
    [days(7), days(1), false],
  ] as const;
  const rows: { vendorId: string; deliveryId: string }[] = [];
  for (const [nextFetchAt, nextAttemptAt] of times) {
    const { id: vendorId } = await addVendor(client, { slug: `ahead-${rows.length}` });
    await client.vendor.update({ where: { id: vendorId }, data: { nextFetchAt } });
    const delivery = { id: systemIds.next(), webhookId: webhook.id, eventId, createdAt: now, nextAttemptAt };
    rows.push({ vendorId, deliveryId: (await client.webhookDelivery.create({ data: delivery })).id });
  }
  expect(await prune()).toMatchObject({ recalled_vendors: 1, recalled_deliveries: 1 });
  for (const [index, { vendorId, deliveryId }] of rows.entries()) {
    const vendor = await client.vendor.findUniqueOrThrow({ where: { id: vendorId } });
    const delivery = await client.webhookDelivery.findUniqueOrThrow({ where: { id: deliveryId } });
    const [fetchAt, attemptAt, isRecalled] = times[index] as (typeof times)[number];
    expect([vendor.nextFetchAt, delivery.nextAttemptAt]).toEqual(isRecalled ? [now, now] : [fetchAt, attemptAt]);
  }
  await client.vendor.deleteMany();
});

it("prune deletes only what was superseded before the retention period, and contents no longer used", async () => {
  const { client } = database;
  const { id: vendorId } = await addVendor(client, { slug: "old" });
  for (const [text, days] of [
    ["one", 1_400],
    ["two", 1_200],
    ["three", 1_000],
    ["one", 10],
  ] as const) {
    await addVersion(client, "old", `${text}\n`, daysAgo(days));
  }
  // Last seen very long ago, but still the vendor's latest version.
  await addVendor(client, { slug: "silent" });
  await addVersion(client, "silent", "four\n", daysAgo(2_000));
  for (const days of [91, 89]) {
    const at = daysAgo(days);
    const fetch = { id: idsAt(at).next(), vendorId, createdAt: at, outcome: "failed", requestCount: 1 } as const;
    await client.fetch.create({ data: fetch });
    await client.cronRun.create({ data: { id: idsAt(at).next(), job: "prune", status: "completed", startedAt: at } });
    await client.runDay.create({ data: { job: "prune", day: at, completed: 1 } });
  }
  for (const days of [0, 1, 3])
    await client.limitWindow.create({ data: { subject: "s", day: daysAgo(days), count: 1 } });

  // The version of 1,400 days ago was superseded 1,200 days ago. A later version has the same content, so it stays.
  // Of the fetches, the last version's and one failure are recent.
  expect(await prune()).toMatchObject({
    snapshots: 1,
    contents: 0,
    fetches: 5,
    runs: 1,
    run_days: 1,
    limit_windows: 1,
  });
  const snapshots = await client.snapshot.findMany({
    orderBy: { id: "asc" },
    select: { createdAt: true, vendorId: true },
  });
  expect(snapshots.map(({ createdAt }) => createdAt)).toEqual([2_000, 1_200, 1_000, 10].map(daysAgo));
  expect(await client.diff.count()).toBe(2);
  expect((await client.vendor.findUniqueOrThrow({ where: { slug: "old" } })).latestDiffId).not.toBeNull();
  expect(await client.content.count()).toBe(4);

  await client.diff.updateMany({ where: { createdAt: daysAgo(1_000) }, data: { createdAt: daysAgo(1_100) } });
  expect(await prune()).toMatchObject({ snapshots: 1, contents: 1, fetches: 0, runs: 0, limit_windows: 0 });
  expect(await prune()).toMatchObject({ snapshots: 0, contents: 0, fetches: 0, runs: 0, limit_windows: 0 });
});

it("FETCH_RETENTION_DAYS says how long fetches are kept", async () => {
  const { client } = database;
  const { id: vendorId } = await addVendor(client, { slug: "short" });
  await client.fetch.deleteMany();
  for (const days of [8, 6]) {
    const at = daysAgo(days);
    const fetch = { id: idsAt(at).next(), vendorId, createdAt: at, outcome: "failed", requestCount: 1 } as const;
    await client.fetch.create({ data: fetch });
  }
  await withEnvironment({ FETCH_RETENTION_DAYS: "7" }, async () => expect(await prune()).toMatchObject({ fetches: 1 }));
});

it("prune keeps the vendors of accounts for the history of the tier, or that of pro while the tier includes none", async () => {
  const { client } = database;
  const kept: Record<string, number> = {};
  for (const tier of ["free", "pro", "enterprise", "enterprise_plus"] as const) {
    const { id: accountId } = await client.account.create({ data: { id: idsAt(now).next(), tier } });
    await addVendor(client, { slug: tier, accountId });
    for (const days of [1_000, 800, 700, 360]) await addVersion(client, tier, `${days}\n`, daysAgo(days));
  }
  expect(await prune()).toMatchObject({ custom_snapshots: 5, snapshots: 0, settled_vendors: 1 });
  for (const { slug, _count } of await client.vendor.findMany({
    select: { slug: true, _count: { select: { snapshots: true } } },
  }))
    kept[slug] = _count.snapshots;
  expect(kept).toMatchObject({ free: 2, pro: 2, enterprise: 3, enterprise_plus: 4 });
});
