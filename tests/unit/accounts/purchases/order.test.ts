import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isExtended } from "#tests/support/extended";
import { seededRandom } from "#tests/support/seeded-random";
import type { WorldEvent } from "#tests/support/stripe/world";
import { dayMs, type Purchase, Shop } from "./shop";

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.open();
});
afterAll(() => shop.close());
beforeEach(() => shop.reset());

function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => permutationsOf(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

const random = seededRandom("purchase orders");

function sampleOf<T>(items: readonly T[], count: number): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ item }) => item);
}

/** Sends events as the provider does: again, if one is not received. */
async function send(events: readonly WorldEvent[]): Promise<void> {
  for (const event of events) {
    await shop
      .receive(event)
      .catch(() => shop.receive(event))
      .catch(() => shop.receive(event));
  }
}

/** What the account of a purchase has to be, by what the provider has in the end. */
async function expectTruth(purchase: Purchase): Promise<void> {
  const { sessionId } = purchase;
  const session = shop.world.sessions.get(sessionId);
  const stored = await shop.stored(purchase);
  if (session?.payment_status !== "paid") {
    expect(stored).toEqual({ accountTier: undefined, isFulfilled: false, subscription: null });
    return;
  }
  const subscription = shop.world.subscriptionOf(sessionId);
  const [{ price, current_period_end: periodEnd }] = subscription.items.data;
  const isPaid = subscription.status === "active";
  const isFailing = subscription.status === "past_due";
  const failedAt = shop.world.invoices.get(subscription.latest_invoice)?.created ?? 0;
  const tier = price.id.replace("price_", "");
  const graceUntil = isFailing ? new Date(failedAt * 1_000 + 7 * dayMs) : null;
  const hasGrace = graceUntil !== null && graceUntil > shop.clock.now();
  const hasEnded = subscription.cancel_at_period_end && periodEnd * 1_000 <= shop.clock.now().getTime();
  await shop.settle();
  expect(await shop.stored(purchase)).toEqual({
    accountTier: (isPaid || hasGrace) && !hasEnded ? tier : "free",
    isFulfilled: true,
    subscription: {
      id: subscription.id,
      accountId: purchase.accountId,
      customerId: subscription.customer,
      tier,
      status: subscription.status,
      cancelAtPeriodEnd: subscription.cancel_at_period_end,
      currentPeriodEnd: new Date(periodEnd * 1_000),
      graceUntil,
    },
  });
}

describe("the events of a purchase lead to one state, whether late, repeated or in any order", () => {
  const stories: Record<string, (sessionId: string) => void> = {
    "paid by card": (id) => shop.world.complete(id),
    "paid by transfer, days later": (id) => {
      shop.world.complete(id, { isDelayed: true });
      shop.clock.pass(2 * dayMs);
      shop.world.settleDelayed(id, true);
    },
    "a transfer that never came": (id) => {
      shop.world.complete(id, { isDelayed: true });
      shop.world.settleDelayed(id, false);
    },
  };

  test.each(Object.keys(stories))("%s", async (name) => {
    const all = permutationsOf([0, 1, 2, 3, 4].slice(0, name === "paid by card" ? 4 : 5));
    // All orders with `--extended`, else 24 of them.
    const orders = isExtended ? all : sampleOf(all, 24);
    for (const order of orders) {
      const purchase = await shop.begin("pro");
      stories[name]?.(purchase.sessionId);
      const events = shop.takeEvents();
      const chosen = order.flatMap((index) => events[index] ?? []);
      await send([...chosen, ...chosen.slice(0, 2)]);
      await expectTruth(purchase);
    }
    expect(orders.length).toBeGreaterThanOrEqual(24);
  });
});

const steps = {
  pass: () => shop.clock.pass(3 * dayMs),
  second: () => shop.clock.pass(1_000),
  renew: (id: string) => ifStatus(id, ["active"], () => shop.world.renew(id, true)),
  fail: (id: string) => ifStatus(id, ["active"], () => shop.world.renew(id, false)),
  failAgain: (id: string) => ifStatus(id, ["past_due"], () => shop.world.failAgain(id)),
  recover: (id: string) => ifStatus(id, ["past_due"], () => shop.world.recover(id)),
  toPro: (id: string) => ifStatus(id, ["active", "past_due"], () => shop.world.changePrice(id, "price_pro")),
  toStarter: (id: string) => ifStatus(id, ["active", "past_due"], () => shop.world.changePrice(id, "price_starter")),
  cancel: (id: string) => ifStatus(id, ["active"], () => shop.world.setCancelled(id, true)),
  resume: (id: string) => ifStatus(id, ["active"], () => shop.world.setCancelled(id, false)),
  end: (id: string) => ifStatus(id, ["active", "past_due"], () => shop.world.end(id)),
};

function ifStatus(sessionId: string, statuses: string[], step: () => void): void {
  if (statuses.includes(shop.world.subscriptionOf(sessionId).status)) step();
}

const story = fc.record({
  isDelayed: fc.boolean(),
  steps: fc.array(fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])), { maxLength: 8 }),
  /** After each step: which of the events so far are sent then. */
  sent: fc.infiniteStream(fc.constantFrom("none", "newest", "any", "page")),
  picks: fc.infiniteStream(fc.nat()),
  isAtOnce: fc.boolean(),
});

/** The items in an order that the picks decide, some of them twice. */
function shuffled<T>(items: readonly T[], pick: () => number): T[] {
  const left = [...items, ...items.filter(() => pick() % 4 === 0)];
  return Array.from(left, () => left).flatMap((rest) => rest.splice(pick() % rest.length, 1));
}

test("any history of a subscription ends in the provider's state, in any order of events", async () => {
  let changedTiers = 0;
  await fc.assert(
    fc.asyncProperty(story, async ({ isDelayed, steps: names, sent, picks, isAtOnce }) => {
      await shop.reset();
      const pick = () => picks.next().value as number;
      const purchase = await shop.begin("starter");
      const happened: WorldEvent[] = [];
      const sendSome = async () => {
        happened.push(...shop.takeEvents());
        const how = sent.next().value;
        if (how === "page") await shop.look(purchase);
        if (how === "newest") await send(happened.slice(-1));
        if (how === "any" && happened.length > 0) await send([happened[pick() % happened.length] as WorldEvent]);
      };
      shop.world.complete(purchase.sessionId, { isDelayed });
      await sendSome();
      if (isDelayed) shop.world.settleDelayed(purchase.sessionId, true);
      for (const name of names) {
        steps[name](purchase.sessionId);
        await sendSome();
      }
      happened.push(...shop.takeEvents());
      const rest = shuffled(happened, pick);
      if (isAtOnce) await Promise.all([0, 1, 2].map((lane) => send(rest.filter((_, index) => index % 3 === lane))));
      else await send(rest);
      await expectTruth(purchase);
      if ((await shop.tierOf(purchase)) !== "starter") changedTiers += 1;
    }),
    { numRuns: 80 },
  );
  expect(changedTiers).toBeGreaterThan(10);
}, 120_000);

test("a change during the fulfilment of a purchase is not lost", async () => {
  const purchase = await shop.begin("starter");
  shop.world.complete(purchase.sessionId);
  shop.takeEvents();
  // The first answer about the session is on its way while the customer moves to pro, and hears of it first.
  const held = shop.double.holdNext("GET /v1/checkout/sessions/");
  const fulfilment = shop.look(purchase);
  await held.arrived;
  shop.world.changePrice(purchase.sessionId, "price_pro");
  await send(shop.takeEvents());
  held.release();
  await fulfilment;
  await expectTruth(purchase);
  expect(await shop.tierOf(purchase)).toBe("pro");
});

test("of two responses that arrive out of order, the older one does not win", async () => {
  const purchase = await shop.buy("starter");
  shop.clock.pass(1_000);
  shop.world.changePrice(purchase.sessionId, "price_pro");
  const [toPro] = shop.takeEvents() as [WorldEvent];
  const held = shop.double.holdNext("GET /v1/subscriptions/");
  const slow = shop.receive(toPro);
  await held.arrived;
  shop.world.changePrice(purchase.sessionId, "price_starter");
  await send(shop.takeEvents());
  held.release();
  await slow;
  expect(await shop.tierOf(purchase)).toBe("starter");
  await expectTruth(purchase);
});
