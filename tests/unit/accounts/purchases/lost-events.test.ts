import { beforeEach, describe, expect, test } from "vitest";
import { receiveEvent, setTier } from "#lib/accounts/purchases/index";
import { dayMs, hourMs, minuteMs } from "#lib/platform/time";
import { outcomeOf } from "#tests/support/call-tool";
import { provided } from "#tests/support/provided";
import type { StripeEvent } from "#tests/support/stripe-state";
import { type Purchase, PurchaseFixture } from "./purchase-fixture";

const fixture = provided(PurchaseFixture.open);
beforeEach(() => fixture.reset());

const client = () => fixture.database.client;

async function receiveAll(): Promise<void> {
  for (const event of fixture.takeEvents()) await fixture.receive(event);
}

/** Returns the level and the reason of each line that an event logged at level `warn` or above, or about what it ignored. */
function warnings(): { level: number; reason?: string; msg: string }[] {
  return fixture.logged.map((line) => JSON.parse(line)).filter(({ level, reason }) => level >= 40 || reason);
}

describe("a subscription whose period ended more than a day ago", () => {
  let purchase: Purchase;
  beforeEach(async () => {
    purchase = await fixture.buy("pro");
  });

  test("ends its tier if it ended at the provider and the event got lost", async () => {
    fixture.state.end(purchase.sessionId);
    fixture.clock.advance(31 * dayMs - 1);
    expect([await fixture.checkOverdue(), await fixture.tierOf(purchase)]).toEqual([0, "pro"]);
    fixture.clock.advance(2);
    fixture.double.mode = "down";
    expect([await fixture.checkOverdue(), await fixture.tierOf(purchase)]).toEqual([0, "pro"]);
    expect(warnings()).toMatchObject([{ level: 40, msg: "could not check subscriptions" }]);
    fixture.double.mode = "fine";
    expect([await fixture.checkOverdue(), await fixture.tierOf(purchase)]).toEqual([1, "free"]);
    expect([await fixture.checkOverdue(), await fixture.settle()]).toEqual([0, 0]);
  });

  test("keeps its tier if it was renewed, or if the provider does not have it", async () => {
    fixture.clock.advance(30 * dayMs);
    fixture.state.renew(purchase.sessionId, true);
    fixture.clock.advance(2 * dayMs);
    expect([await fixture.checkOverdue(), await fixture.tierOf(purchase)]).toEqual([1, "pro"]);
    expect((await fixture.subscriptionOf(purchase))?.currentPeriodEnd).toEqual(
      fixture.state.periodEnd(purchase.sessionId),
    );
    fixture.clock.advance(32 * dayMs);
    fixture.state.clear();
    expect([await fixture.checkOverdue(), await fixture.tierOf(purchase)]).toEqual([0, "pro"]);
    expect(warnings()).toMatchObject([{ level: 40, reason: expect.stringContaining("STRIPE_SECRET_KEY") }]);
  });

  test("leaves the tier that an operator grants after it has ended", async () => {
    const { accountId, sessionId } = purchase;
    const receiveAgain = async () => {
      fixture.clock.advance(1_000);
      fixture.state.change(fixture.state.subscriptionOf(sessionId), {});
      await receiveAll();
    };
    fixture.state.setCancelled(sessionId, true);
    fixture.clock.advance(30 * dayMs);
    fixture.state.end(sessionId);
    await receiveAll();
    expect(await fixture.tierOf(purchase)).toBe("free");
    await setTier(fixture.context, { accountId, tier: "pro" });
    fixture.clock.advance(2 * dayMs);
    await receiveAgain();
    expect([await fixture.checkOverdue(), await fixture.settle(), (await fixture.sync()).notable]).toEqual([0, 0, []]);
    expect(await fixture.tierOf(purchase)).toBe("pro");
  });

  test("is checked in its turn if a run may not check all", async () => {
    const others = [purchase, await fixture.buy(), await fixture.buy()];
    for (const { sessionId } of others) fixture.state.subscriptionOf(sessionId).status = "active";
    fixture.clock.advance(32 * dayMs);
    fixture.double.requests.length = 0;
    for (let run = 0; run < 3; run += 1) {
      fixture.clock.advance(hourMs);
      await fixture.checkOverdue(1);
    }
    const asked = others.map(({ sessionId }) => `GET /v1/subscriptions/${fixture.state.subscriptionOf(sessionId).id}`);
    expect(fixture.double.requests.toSorted()).toEqual(asked.toSorted());
  });
});

describe("an event", () => {
  test("that is rejected is logged with the reason, once a minute, unless it has no signature", async () => {
    const { sessionId } = await fixture.begin();
    fixture.state.complete(sessionId);
    const [event] = fixture.takeEvents() as [StripeEvent];
    const { body, signature } = fixture.double.sign(event);
    const reasons = () => fixture.logged.splice(0).map((line) => JSON.parse(line).reason);
    const forged = fixture.double.sign(event, { secret: "whsec_other" });
    fixture.logged.length = 0;
    const header = () => null;
    await outcomeOf(receiveEvent(fixture.context, { rawBody: Buffer.from(body), header }, fixture.payments));
    expect(reasons()).toEqual([]);
    for (let count = 0; count < 3; count += 1) await outcomeOf(fixture.receive(event, forged));
    expect(reasons()).toEqual([expect.stringContaining("STRIPE_WEBHOOK_SECRET")]);
    fixture.clock.advance(5 * minuteMs + 1_000);
    await outcomeOf(fixture.receive(event, { body, signature }));
    expect(reasons()).toEqual([expect.stringContaining("clock")]);
    fixture.clock.advance(minuteMs);
    await outcomeOf(fixture.receive(event, fixture.double.signText("{}")));
    expect(reasons()).toEqual(["the body is not an event"]);
  });

  test("of an account that the database lost recreates it, whichever arrives first", async () => {
    for (const type of ["checkout.session.completed", "customer.subscription.updated", "invoice.paid"]) {
      const purchase = await fixture.begin("pro");
      await client().checkout.delete({ where: { id: purchase.accountId } });
      fixture.state.complete(purchase.sessionId);
      const events = fixture.takeEvents();
      const first = events.filter((event) => event.type === type);
      fixture.logged.length = 0;
      for (const event of [...first, ...events]) await fixture.receive(event);
      expect([type, await fixture.tierOf(purchase)]).toEqual([type, "pro"]);
      expect(warnings()).toMatchObject([
        { level: 40, msg: expect.stringContaining("stored a subscription that the database did not have") },
      ]);
      const customer = await fixture.subscriptionOf(purchase);
      expect(customer?.customerId).toBe(fixture.state.subscriptionOf(purchase.sessionId).customer);
    }
  });

  test("of a subscription to a price without a tier is a warning that says what to do, and one of others is none", async () => {
    const purchase = await fixture.buy();
    fixture.logged.length = 0;
    fixture.state.changePrice(purchase.sessionId, "price_unknown");
    await receiveAll();
    expect(await fixture.tierOf(purchase)).toBe("starter");
    expect(warnings()).toMatchObject([{ level: 40, reason: expect.stringMatching(/metadata tier.*billing sync/) }]);
    fixture.logged.length = 0;
    fixture.state.subscriptionOf(purchase.sessionId).metadata = {};
    await client().account.deleteMany();
    fixture.state.renew(purchase.sessionId, true);
    await receiveAll();
    expect(warnings()).toMatchObject([{ level: 30, reason: expect.stringContaining("not bought here") }]);
    expect(await client().account.count()).toBe(0);
    expect(fixture.logged.join()).not.toMatch(/buyer|@/);
  });

  test("that ends a subscription logs the tier that the account keeps", async () => {
    const purchase = await fixture.buy();
    await client().account.update({ where: { id: purchase.accountId }, data: { tier: "enterprise" } });
    fixture.logged.length = 0;
    fixture.state.end(purchase.sessionId);
    await receiveAll();
    const [line] = fixture.logged.map((text) => JSON.parse(text));
    expect(line).toMatchObject({ tier: "enterprise", status: "canceled", msg: expect.stringContaining("granted") });
  });
});
