import { beforeEach, describe, expect, test } from "vitest";
import { checkEvents, checkPrices, openPortal } from "#lib/accounts/purchases/index";
import { dayMs, minuteMs } from "#lib/platform/time";
import { outcomeOf } from "#tests/support/call-tool";
import { provided } from "#tests/support/provided";
import { PurchaseFixture } from "./purchase-fixture";

const fixture = provided(PurchaseFixture.open);
beforeEach(() => fixture.reset());

describe("the events of the provider", () => {
  const compare = async () => {
    const options = { database: fixture.database.client, now: fixture.clock.now() };
    return checkEvents(await fixture.payments(), options);
  };

  test("of the last three days are compared with those that were received, but not very new ones", async () => {
    const nothing = { count: 0, missedCount: 0, newestMissed: null };
    expect(await compare()).toEqual(nothing);
    const purchase = await fixture.buy();
    expect(await compare()).toEqual(nothing);
    fixture.clock.advance(11 * minuteMs);
    expect(await compare()).toEqual({ ...nothing, count: 3 });
    fixture.state.setCancelled(purchase.sessionId, true);
    const missedAt = fixture.clock.now();
    fixture.clock.advance(11 * minuteMs);
    const newestMissed = { type: "customer.subscription.updated", createdAt: missedAt };
    expect(await compare()).toEqual({ count: 4, missedCount: 1, newestMissed });
    fixture.takeEvents();
    fixture.state.setCancelled(purchase.sessionId, false);
    for (const event of fixture.takeEvents()) await fixture.receive(event);
    fixture.clock.advance(11 * minuteMs);
    expect(await compare()).toEqual({ count: 5, missedCount: 1, newestMissed: null });
    fixture.clock.advance(3 * dayMs);
    expect(await compare()).toEqual(nothing);
  });

  test("of a purchase that the service does not know, or that is not paid, are received too", async () => {
    const unpaid = await fixture.begin();
    fixture.state.complete(unpaid.sessionId, { isDelayed: true });
    fixture.state.settleDelayed(unpaid.sessionId, false);
    const unknown = await fixture.begin();
    await fixture.database.client.checkout.delete({ where: { id: unknown.accountId } });
    fixture.state.complete(unknown.sessionId, { isDelayed: true });
    for (const event of fixture.takeEvents()) await fixture.receive(event);
    fixture.clock.advance(11 * minuteMs);
    expect(await compare()).toMatchObject({ count: 6, missedCount: 0 });
  });
});

test("the configured prices are compared with those of the tiers", async () => {
  const payments = await fixture.payments();
  expect(await checkPrices(payments)).toEqual([]);
  const prices = { starter: "price_pro", pro: "price_none" };
  expect(await checkPrices({ ...payments, prices })).toEqual([
    "the price of STRIPE_PRICE_STARTER is 99.00 USD every month, but starter costs 29.00 USD every month",
    "Stripe does not have the price of STRIPE_PRICE_PRO",
  ]);
  const price = fixture.state.prices.get("price_pro") as { active: boolean };
  price.active = false;
  const problems = await checkPrices(payments).finally(() => Object.assign(price, { active: true }));
  expect(problems).toEqual(["the price of STRIPE_PRICE_PRO is archived"]);
});

test("the portal of an account whose customer was deleted is not found, and the answer says what to do", async () => {
  const { accountId, sessionId } = await fixture.buy();
  const context = { ...fixture.context, caller: { accountId } as never };
  expect(await outcomeOf(openPortal(context, {}, fixture.payments))).toBe("accepted");
  fixture.state.deleteCustomer(sessionId);
  expect(await outcomeOf(openPortal(context, {}, fixture.payments))).toMatch(/^not_found: .*Buy a tier again/);
});
