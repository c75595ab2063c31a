import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { releaseDelivery } from "#lib/tracking/webhooks/sending/store";
import { type Settlement, settleDeliveries } from "#lib/tracking/webhooks/sending/store-outcomes";
import { sharedDatabase } from "#tests/support/shared-database";

const start = new Date("2026-11-22T12:00:00.000Z");
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

const database = sharedDatabase();
beforeEach(() => database.client.account.deleteMany());

/** Adds a webhook with a number of leased deliveries, and returns their ids. */
async function addLeased(count: number, failingSince: Date | null = null, dueCount = 0) {
  const [accountId, id, leaseId] = [randomUUID(), randomUUID(), randomUUID()];
  const { client } = database;
  await client.account.create({ data: { id: accountId, tier: "pro" } });
  const webhook = { id, accountId, limitId: randomUUID(), url: "https://receiver.example/", secret: "secret" };
  await client.webhook.create({ data: { ...webhook, failingSince, createdAt: start, updatedAt: start } });
  const addDelivery = async (times: object) => {
    const [eventId, deliveryId] = [randomUUID(), randomUUID()];
    await client.webhookEvent.create({ data: { id: eventId, type: "test", body: "{}", createdAt: start } });
    const data = { id: deliveryId, webhookId: id, eventId, createdAt: start, nextAttemptAt: start };
    await client.webhookDelivery.create({ data: { ...data, ...times } });
    return deliveryId;
  };
  const ids: string[] = [];
  while (ids.length < count) ids.push(await addDelivery({ leaseId, leaseUntil: at(30), nextAttemptAt: at(30) }));
  const due: string[] = [];
  while (due.length < dueCount) due.push(await addDelivery({ nextAttemptAt: at(-60 + due.length) }));
  const settlement = (index: number, isHealthy: boolean | null, seconds: number): Settlement => ({
    delivery: { id: ids[index] ?? "", leaseId },
    attempt: {
      id: randomUUID(),
      at: at(seconds),
      httpStatus: isHealthy ? 200 : 500,
      error: null,
      responseExcerpt: 'a "quoted"\nline ✓',
      durationMs: 5,
    },
    next: isHealthy
      ? { status: "delivered", nextAttemptAt: at(seconds), finishedAt: at(seconds) }
      : { status: "pending", nextAttemptAt: at(60), finishedAt: null },
    isHealthy,
    nextLeaseId: null,
  });
  const failingSinceNow = async () =>
    (await client.webhook.findUniqueOrThrow({ where: { id } })).failingSince?.toISOString() ?? null;
  return { id, ids, due, settlement, failingSinceNow };
}

describe("results that are recorded together", () => {
  it("keep nothing of a delivery whose lease was lost, and cancel those of a deactivated webhook", async () => {
    const { id, ids, settlement } = await addLeased(3);
    const { client } = database;
    await client.webhookDelivery.update({ where: { id: ids[0] ?? "" }, data: { leaseId: randomUUID() } });
    await client.webhook.update({ where: { id }, data: { active: false } });
    const settlements = [settlement(0, true, 1), settlement(1, false, 2), settlement(2, true, 3)];
    const settled = await settleDeliveries(client, settlements, at(4));
    expect(settled.map(({ status }) => status)).toEqual([null, "cancelled", "delivered"]);
    expect(await client.webhookAttempt.count()).toBe(2);
    expect(await client.webhookDelivery.findUnique({ where: { id: ids[1] ?? "" } })).toMatchObject({
      status: "cancelled",
      finishedAt: at(2.005),
    });
  });

  it.each<[string, Date | null, (boolean | null)[], Date | null]>([
    ["only successes", null, [true, true], null],
    ["a success after failures", at(-60), [false, true], null],
    ["failures after a success", at(-60), [true, false, false], at(1)],
    ["the first failures", null, [false, false], at(0)],
    ["further failures", at(-60), [false, false], at(-60)],
    ["nothing about the webhook", at(-60), [null, null], at(-60)],
  ])("tell since when a webhook has been failing: %s", async (_name, before, healths, expected) => {
    const { settlement, failingSinceNow } = await addLeased(healths.length, before);
    const settlements = healths.map((isHealthy, index) => settlement(index, isHealthy, index));
    // Results arrive in any order.
    await settleDeliveries(database.client, settlements.reverse(), at(60));
    expect(await failingSinceNow()).toBe(expected?.toISOString() ?? null);
  });
});

describe("a lease for the next delivery", () => {
  const withNext = (settlement: Settlement) => ({ ...settlement, nextLeaseId: randomUUID() });
  const followingIds = (settled: Awaited<ReturnType<typeof settleDeliveries>>) =>
    settled.flatMap(({ following }) => following?.id ?? []);

  it("is given for the oldest that are due, one for each that was settled", async () => {
    const { due, settlement } = await addLeased(3, at(-60), 4);
    const settlements = [withNext(settlement(0, true, 1)), withNext(settlement(1, true, 1)), settlement(2, true, 1)];
    const settled = await settleDeliveries(database.client, settlements, at(2));
    expect(followingIds(settled).sort()).toEqual(due.slice(0, 2).sort());
    for (const [index, { following }] of settled.entries()) {
      const { nextLeaseId: leaseId } = settlements[index] as Settlement;
      if (leaseId === null) expect(following).toBeNull();
      else expect(following).toMatchObject({ leaseId, status: "pending", failingSince: null, body: "{}" });
    }
    const leased = await database.client.webhookDelivery.findMany({ where: { leaseUntil: at(32) } });
    expect(leased.map(({ id }) => id).sort()).toEqual(due.slice(0, 2).sort());
  });

  it("is not given for one that is settled too, or whose lease was lost", async () => {
    const { ids, settlement } = await addLeased(2);
    // Its own lease has expired, so it is due.
    await database.client.webhookDelivery.update({ where: { id: ids[1] ?? "" }, data: { nextAttemptAt: at(1) } });
    const lost = { ...settlement(1, true, 1), delivery: { id: ids[1] ?? "", leaseId: randomUUID() } };
    const settled = await settleDeliveries(database.client, [settlement(0, true, 1), lost].map(withNext), at(2));
    expect(settled).toEqual([
      { status: "delivered", following: null },
      { status: null, following: null },
    ]);
  });

  it("is given once if two attempts at one delivery end together, because its first lease expired", async () => {
    const { due, settlement } = await addLeased(1, null, 2);
    const valid = withNext(settlement(0, true, 1));
    const expired = withNext({ ...settlement(0, true, 1), delivery: { id: valid.delivery.id, leaseId: randomUUID() } });
    const settled = await settleDeliveries(database.client, [expired, valid], at(2));
    expect(settled).toMatchObject([
      { status: null, following: null },
      { status: "delivered", following: { id: due[0] } },
    ]);
  });

  it("leaves it due when it was before if it is released", async () => {
    const { due, settlement } = await addLeased(1, null, 1);
    const [settled] = await settleDeliveries(database.client, [withNext(settlement(0, true, 1))], at(2));
    if (!settled?.following) throw new Error("no delivery was leased");
    await releaseDelivery(database.client, settled.following);
    expect(await database.client.webhookDelivery.findUnique({ where: { id: due[0] ?? "" } })).toMatchObject({
      leaseId: null,
      nextAttemptAt: at(-60),
    });
  });

  it.each([
    ["failing", async (_id: string) => false],
    ["deactivated", (id: string) => database.client.webhook.update({ where: { id }, data: { active: false } })],
  ])("is not given for a webhook that is %s", async (_name, prepare) => {
    const { id, settlement } = await addLeased(2, null, 2);
    const isHealthy = (await prepare(id)) !== false;
    const settlements = [settlement(0, true, 1), settlement(1, isHealthy, 2)].map(withNext);
    expect(followingIds(await settleDeliveries(database.client, settlements, at(3)))).toEqual([]);
  });
});
