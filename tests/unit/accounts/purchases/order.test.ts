import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { dayMs } from "#lib/platform/time";
import { isExtended } from "#tests/support/extended";
import { provided } from "#tests/support/provided";
import { seededRandom } from "#tests/support/seeded-random";
import type { StripeEvent } from "#tests/support/stripe-state";
import { type Purchase, PurchaseFixture } from "./purchase-fixture";

const fixture = provided(PurchaseFixture.open);
beforeEach(() => fixture.reset());

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

/** Sends events like the provider, which retries failed ones. */
async function send(events: readonly StripeEvent[]): Promise<void> {
  for (const event of events) {
    await fixture
      .receive(event)
      .catch(() => fixture.receive(event))
      .catch(() => fixture.receive(event));
  }
}

/** Returns the expected account of a purchase, from the final state of the provider. */
async function expectTruth(purchase: Purchase): Promise<void> {
  const { sessionId } = purchase;
  const session = fixture.state.sessions.get(sessionId);
  const stored = await fixture.stored(purchase);
  if (session?.payment_status !== "paid") {
    expect(stored).toEqual({ accountTier: undefined, isFulfilled: false, subscription: null });
    return;
  }
  const subscription = fixture.state.subscriptionOf(sessionId);
  const [{ price, current_period_end: periodEnd }] = subscription.items.data;
  const isPaid = subscription.status === "active";
  const isFailing = subscription.status === "past_due";
  const failedAt = fixture.state.invoices.get(subscription.latest_invoice)?.created ?? 0;
  const tier = price.id.replace("price_", "");
  const graceUntil = isFailing ? new Date(failedAt * 1_000 + 7 * dayMs) : null;
  const hasGrace = graceUntil !== null && graceUntil > fixture.clock.now();
  const hasEnded = subscription.cancel_at_period_end && periodEnd * 1_000 <= fixture.clock.now().getTime();
  await fixture.settle();
  expect(await fixture.stored(purchase)).toEqual({
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
    "paid by card": (id) => fixture.state.complete(id),
    "paid by transfer, days later": (id) => {
      fixture.state.complete(id, { isDelayed: true });
      fixture.clock.advance(2 * dayMs);
      fixture.state.settleDelayed(id, true);
    },
    "a transfer that never came": (id) => {
      fixture.state.complete(id, { isDelayed: true });
      fixture.state.settleDelayed(id, false);
    },
  };

  test.each(Object.keys(stories))("%s", async (name) => {
    const all = permutationsOf([0, 1, 2, 3, 4].slice(0, name === "paid by card" ? 4 : 5));
    // All orders with `--extended`, else 3 of them.
    const orders = isExtended ? all : sampleOf(all, 3);
    for (const order of orders) {
      const purchase = await fixture.begin("pro");
      stories[name]?.(purchase.sessionId);
      const events = fixture.takeEvents();
      const chosen = order.flatMap((index) => events[index] ?? []);
      await send([...chosen, ...chosen.slice(0, 2)]);
      await expectTruth(purchase);
    }
    expect(orders.length).toBeGreaterThanOrEqual(3);
  });
});

const steps = {
  pass: () => fixture.clock.advance(3 * dayMs),
  second: () => fixture.clock.advance(1_000),
  renew: (id: string) => ifStatus(id, ["active"], () => fixture.state.renew(id, true)),
  fail: (id: string) => ifStatus(id, ["active"], () => fixture.state.renew(id, false)),
  failAgain: (id: string) => ifStatus(id, ["past_due"], () => fixture.state.failAgain(id)),
  recover: (id: string) => ifStatus(id, ["past_due"], () => fixture.state.recover(id)),
  toPro: (id: string) => ifStatus(id, ["active", "past_due"], () => fixture.state.changePrice(id, "price_pro")),
  toStarter: (id: string) => ifStatus(id, ["active", "past_due"], () => fixture.state.changePrice(id, "price_starter")),
  cancel: (id: string) => ifStatus(id, ["active"], () => fixture.state.setCancelled(id, true)),
  resume: (id: string) => ifStatus(id, ["active"], () => fixture.state.setCancelled(id, false)),
  end: (id: string) => ifStatus(id, ["active", "past_due"], () => fixture.state.end(id)),
};

function ifStatus(sessionId: string, statuses: string[], step: () => void): void {
  if (statuses.includes(fixture.state.subscriptionOf(sessionId).status)) step();
}

const story = fc.record({
  isDelayed: fc.boolean(),
  steps: fc.array(fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])), { maxLength: 8 }),
  /** For each step, which of the events so far are sent after it. */
  sent: fc.infiniteStream(fc.constantFrom("none", "newest", "any", "page")),
  picks: fc.infiniteStream(fc.nat()),
  isAtOnce: fc.boolean(),
});

/** Returns the items in the order given by `picks`, some of them twice. */
function shuffled<T>(items: readonly T[], pick: () => number): T[] {
  const left = [...items, ...items.filter(() => pick() % 4 === 0)];
  return Array.from(left, () => left).flatMap((rest) => rest.splice(pick() % rest.length, 1));
}

test("any history of a subscription ends in the provider's state, in any order of events", async () => {
  let changedTiers = 0;
  await fc.assert(
    fc.asyncProperty(story, async ({ isDelayed, steps: names, sent, picks, isAtOnce }) => {
      await fixture.reset();
      const pick = () => picks.next().value as number;
      const purchase = await fixture.begin("starter");
      const happened: StripeEvent[] = [];
      const sendSome = async () => {
        happened.push(...fixture.takeEvents());
        const how = sent.next().value;
        if (how === "page") await fixture.look(purchase);
        if (how === "newest") await send(happened.slice(-1));
        if (how === "any" && happened.length > 0) await send([happened[pick() % happened.length] as StripeEvent]);
      };
      fixture.state.complete(purchase.sessionId, { isDelayed });
      await sendSome();
      if (isDelayed) fixture.state.settleDelayed(purchase.sessionId, true);
      for (const name of names) {
        steps[name](purchase.sessionId);
        await sendSome();
      }
      happened.push(...fixture.takeEvents());
      const rest = shuffled(happened, pick);
      if (isAtOnce) await Promise.all([0, 1, 2].map((lane) => send(rest.filter((_, index) => index % 3 === lane))));
      else await send(rest);
      await expectTruth(purchase);
      if ((await fixture.tierOf(purchase)) !== "starter") changedTiers += 1;
    }),
    { numRuns: isExtended ? 80 : 4 },
  );
  // In a few runs, none may change the tier.
  if (isExtended) expect(changedTiers).toBeGreaterThan(5);
});

test("a change during the fulfilment of a purchase is not lost", async () => {
  const purchase = await fixture.begin("starter");
  fixture.state.complete(purchase.sessionId);
  fixture.takeEvents();
  // The first response about the session is delayed while the customer changes to pro and that event is processed.
  const held = fixture.double.holdNext("GET /v1/checkout/sessions/");
  const fulfilment = fixture.look(purchase);
  await held.arrived;
  fixture.state.changePrice(purchase.sessionId, "price_pro");
  await send(fixture.takeEvents());
  held.release();
  await fulfilment;
  await expectTruth(purchase);
  expect(await fixture.tierOf(purchase)).toBe("pro");
});

test("of two responses that arrive out of order, the older one does not win", async () => {
  const purchase = await fixture.buy("starter");
  fixture.clock.advance(1_000);
  fixture.state.changePrice(purchase.sessionId, "price_pro");
  const [toPro] = fixture.takeEvents() as [StripeEvent];
  const held = fixture.double.holdNext("GET /v1/subscriptions/");
  const slow = fixture.receive(toPro);
  await held.arrived;
  fixture.state.changePrice(purchase.sessionId, "price_starter");
  await send(fixture.takeEvents());
  held.release();
  await slow;
  expect(await fixture.tierOf(purchase)).toBe("starter");
  await expectTruth(purchase);
});
