import { pino } from "pino";
import { expect, test } from "vitest";
import { openQueues, readInstallation, setPaused } from "#lib/jobs/index";
import { deadFetches } from "#lib/jobs/queue/queues";
import { systemClock } from "#lib/platform/clock";
import { sharedDatabase } from "#tests/support/shared-database";
import { addVendor, idsAt } from "#tests/support/vendor-rows";
import { addDelivery, addWebhook } from "#tests/support/webhook-rows";

const database = sharedDatabase();

const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000);
const read = () => readInstallation(database.client, systemClock);

test("an empty installation has no work", async () => {
  const { queues, jobs, ...rest } = await read();
  expect(queues.map(({ name }) => name)).toEqual(["fetch", "analyse"]);
  expect(jobs.every(({ completedS }) => completedS === null)).toBe(true);
  expect(rest).toEqual({
    deadFetches: 0,
    fetches: { changed: 0, unchanged: 0, not_modified: 0, failed: 0 },
    vendorsDue: 0,
    longestOverdueS: 0,
    mailsWaiting: 0,
    mails: { sent: 0, failed: 0, empty: 0, retrying: 0 },
    deliveriesWaiting: 0,
    oldestDueDeliveryS: 0,
    deliveries: { delivered: 0, retrying: 0, dead: 0, cancelled: 0 },
  });
});

test("the status counts what is due and what happened in the last hour", async () => {
  const { client } = database;
  const queues = await openQueues({ database: client, log: pino({ level: "silent" }) });
  await queues.boss.insert("fetch", [{ singletonKey: "a" }, { singletonKey: "b" }]);
  await queues.boss.insert(deadFetches, [{}]);
  await queues.boss.fetch("fetch", { batchSize: 1 });
  await queues.close();
  await client.$executeRaw`UPDATE pgboss.job SET created_on = now() - interval '2 minutes' WHERE name = 'fetch'`;
  await setPaused(client, "analyse", minutesAgo(1));

  const { id: vendorId } = await addVendor(client, { at: minutesAgo(5) });
  await addVendor(client, { at: minutesAgo(-5) });
  await addVendor(client, { at: minutesAgo(9), status: "paused" });
  for (const [minutes, outcome] of [
    [1, "changed"],
    [59, "failed"],
    [61, "failed"],
  ] as const) {
    const createdAt = minutesAgo(minutes);
    await client.fetch.create({ data: { id: idsAt(createdAt).next(), vendorId, createdAt, outcome, requestCount: 1 } });
  }

  const webhookId = await addWebhook(client, { secret: "" });
  const add = (row: Parameters<typeof addDelivery>[2]) => addDelivery(client, webhookId, row);
  await add({ nextAttemptAt: minutesAgo(3) });
  await add({ nextAttemptAt: minutesAgo(-3), attempts: [minutesAgo(4), minutesAgo(2)] });
  await add({ status: "delivered", nextAttemptAt: minutesAgo(50), attempts: [minutesAgo(50)] });
  await add({ status: "dead", nextAttemptAt: minutesAgo(70), attempts: [minutesAgo(70)] });

  const { accountId } = await client.webhook.findUniqueOrThrow({ where: { id: webhookId } });
  const ids = idsAt(minutesAgo(0));
  const dates = { createdAt: minutesAgo(90), updatedAt: minutesAgo(90), nextDueAt: minutesAgo(90) };
  const { id: digestId } = await client.digest.create({
    data: { id: ids.next(), accountId, contact: "", frequency: "each", unsubscribeHash: "", ...dates },
  });
  for (const [status, finishedAt, attemptCount] of [
    ["sent", minutesAgo(59), 1],
    ["sent", minutesAgo(61), 1],
    ["pending", null, 2],
  ] as const) {
    const at = { createdAt: minutesAgo(80), nextAttemptAt: minutesAgo(70), finishedAt };
    await client.digestMail.create({ data: { id: ids.next(), digestId, status, attemptCount, ...at } });
  }

  for (const [minutes, status] of [
    [30, "completed"],
    [20, "failed"],
  ] as const) {
    const at = minutesAgo(minutes);
    await client.cronRun.create({
      data: { id: idsAt(at).next(), job: "prune", status, startedAt: at, finishedAt: at },
    });
  }

  const status = await read();
  expect(status.queues[0]).toEqual({
    name: "fetch",
    waiting: 1,
    running: 1,
    failed: 0,
    isPaused: false,
    oldestS: expect.closeTo(120, -1),
  });
  expect(status.queues[1]).toMatchObject({ name: "analyse", isPaused: true, oldestS: null });
  expect(status).toMatchObject({
    deadFetches: 1,
    fetches: { changed: 1, unchanged: 0, not_modified: 0, failed: 1 },
    vendorsDue: 1,
    longestOverdueS: expect.closeTo(300, -1),
    mailsWaiting: 1,
    mails: { sent: 1, failed: 0, empty: 0, retrying: 1 },
    deliveriesWaiting: 2,
    oldestDueDeliveryS: expect.closeTo(180, -1),
    deliveries: { delivered: 1, retrying: 1, dead: 0, cancelled: 0 },
  });
  expect(status.jobs.find(({ name }) => name === "prune")?.completedS).toBeCloseTo(1_800, -1);
});
