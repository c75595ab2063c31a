import { beforeEach, describe, expect, test } from "vitest";
import { dayMs, hourMs } from "#lib/platform/time";
import { outcomeOf } from "#tests/support/call-tool";
import { provided } from "#tests/support/provided";
import type { StripeEvent } from "#tests/support/stripe-state";
import { addVendor } from "#tests/support/vendor-rows";
import { type Purchase, PurchaseFixture, start } from "./purchase-fixture";

const fixture = provided(PurchaseFixture.open);
beforeEach(() => fixture.reset());

const takenCount = () => fixture.database.client.paymentEvent.count();

async function receiveAll(): Promise<void> {
  for (const event of fixture.takeEvents()) await fixture.receive(event);
}

describe("an event", () => {
  async function anEvent(): Promise<StripeEvent> {
    const { sessionId } = await fixture.begin();
    fixture.state.complete(sessionId);
    return fixture.takeEvents().at(-1) as StripeEvent;
  }

  test("that the provider did not sign is rejected and changes nothing", async () => {
    const event = await anEvent();
    const before = await takenCount();
    const { body, signature } = fixture.double.sign(event);
    const forgeries = [
      { body, signature: "" },
      { body, signature: signature.replace(/v1=..../, "v1=0000") },
      { body: body.replace("paid", "PAID"), signature },
      { body: `${body} `, signature },
      fixture.double.sign(event, { secret: "whsec_other" }),
      { body: "", signature },
    ];
    for (const forged of forgeries) {
      expect(await outcomeOf(fixture.receive(event, forged))).toMatch(/^bad_request: .*signature/);
    }
    expect(await takenCount()).toBe(before);
    expect(await outcomeOf(fixture.receive(event, { body, signature }))).toBe("accepted");
  });

  test("with a signature older than five minutes is rejected", async () => {
    const event = await anEvent();
    const signed = fixture.double.sign(event);
    fixture.clock.advance(5 * 60_000 + 1_000);
    expect(await outcomeOf(fixture.receive(event, signed))).toMatch(/^bad_request: .*older than 5 minutes/);
    fixture.clock.advance(-1_000);
    expect(await outcomeOf(fixture.receive(event, signed))).toBe("accepted");
  });

  test("that is signed but malformed is rejected", async () => {
    const { id, type, created } = await anEvent();
    for (const body of ["{}", "[]", "null", "<xml/>", JSON.stringify({ id, type, created })]) {
      expect(await outcomeOf(fixture.receive({} as StripeEvent, fixture.double.signText(body)))).toMatch(
        /^bad_request: /,
      );
    }
  });

  test("is processed once by its id, even if it arrives repeatedly and concurrently", async () => {
    const event = await anEvent();
    const before = await takenCount();
    await Promise.all(Array.from({ length: 8 }, () => fixture.receive(event)));
    await fixture.receive(event);
    expect(await takenCount()).toBe(before + 1);
    const asked = fixture.double.requests.length;
    await fixture.receive(event);
    expect(fixture.double.requests.length).toBe(asked);
  });

  test("that does not concern this service is acknowledged and ignored", async () => {
    const strange = { ...(await anEvent()), id: "evt_strange", type: "charge.refunded" };
    expect(await outcomeOf(fixture.receive(strange))).toBe("accepted");
    expect(await fixture.database.client.account.count()).toBe(0);
  });

  test("in the format of an older API version is understood", async () => {
    const purchase = await fixture.buy();
    fixture.state.renew(purchase.sessionId, false);
    const [failed] = fixture.takeEvents() as [StripeEvent];
    const { parent: _parent, ...invoice } = failed.data.object;
    const subscription = fixture.state.subscriptionOf(purchase.sessionId).id;
    await fixture.receive({ ...failed, data: { object: { ...invoice, subscription } } });
    expect((await fixture.subscriptionOf(purchase))?.status).toBe("past_due");
  });

  test("that fails is not recorded, so that its retry is processed", async () => {
    const event = await anEvent();
    fixture.double.mode = "down";
    expect(await outcomeOf(fixture.receive(event))).toMatch(/^internal_error: The payment provider did not respond/);
    fixture.double.mode = "fine";
    const before = await takenCount();
    await fixture.receive(event);
    expect(await takenCount()).toBe(before + 1);
  });

  test("that arrives late does not restore an older state", async () => {
    const purchase = await fixture.buy();
    fixture.clock.advance(hourMs);
    fixture.state.changePrice(purchase.sessionId, "price_pro");
    const [toPro] = fixture.takeEvents() as [StripeEvent];
    fixture.clock.advance(hourMs);
    fixture.state.changePrice(purchase.sessionId, "price_starter");
    await receiveAll();
    expect(await fixture.tierOf(purchase)).toBe("starter");
    const asked = fixture.double.requests.length;
    await fixture.receive(toPro);
    expect(await fixture.tierOf(purchase)).toBe("starter");
    expect(fixture.double.requests.length).toBe(asked);
  });
});

describe("a subscription", () => {
  let purchase: Purchase;
  beforeEach(async () => {
    purchase = await fixture.buy("starter");
  });

  test("with a price that is no longer sold has the tier in the price's metadata, or keeps its tier", async () => {
    fixture.state.changePrice(purchase.sessionId, "price_of_last_year", { tier: "pro" });
    await receiveAll();
    expect(await fixture.tierOf(purchase)).toBe("pro");
    fixture.state.changePrice(purchase.sessionId, "price_of_long_ago", { tier: "enterprise_plus" });
    await receiveAll();
    expect(await fixture.tierOf(purchase)).toBe("pro");
  });

  test("with a failed payment keeps its tier for seven days, then becomes free", async () => {
    fixture.clock.advance(30 * dayMs);
    fixture.state.renew(purchase.sessionId, false);
    const failedAt = fixture.clock.now();
    await receiveAll();
    expect(await fixture.tierOf(purchase)).toBe("starter");
    expect((await fixture.subscriptionOf(purchase))?.graceUntil).toEqual(new Date(failedAt.getTime() + 7 * dayMs));
    fixture.clock.advance(7 * dayMs - 1);
    expect(await fixture.settle()).toBe(0);
    fixture.clock.advance(1);
    expect(await fixture.settle()).toBe(1);
    expect([await fixture.tierOf(purchase), await fixture.settle()]).toEqual(["free", 0]);
  });

  test("with repeated failed payments has one grace period, from the first failure", async () => {
    fixture.clock.advance(30 * dayMs);
    fixture.state.renew(purchase.sessionId, false);
    const failedAt = fixture.clock.now();
    await receiveAll();
    fixture.clock.advance(3 * dayMs);
    fixture.state.failAgain(purchase.sessionId);
    await receiveAll();
    expect((await fixture.subscriptionOf(purchase))?.graceUntil).toEqual(new Date(failedAt.getTime() + 7 * dayMs));
    fixture.clock.advance(30 * dayMs);
    fixture.state.renew(purchase.sessionId, false);
    await receiveAll();
    expect(await fixture.tierOf(purchase)).toBe("free");
  });

  test("that is paid in the end gets its tier back, and a new grace period at the next failure", async () => {
    fixture.clock.advance(30 * dayMs);
    fixture.state.renew(purchase.sessionId, false);
    await receiveAll();
    fixture.clock.advance(8 * dayMs);
    await fixture.settle();
    fixture.state.recover(purchase.sessionId);
    await receiveAll();
    expect([await fixture.tierOf(purchase), (await fixture.subscriptionOf(purchase))?.graceUntil]).toEqual([
      "starter",
      null,
    ]);
    fixture.clock.advance(22 * dayMs);
    fixture.state.renew(purchase.sessionId, false);
    await receiveAll();
    expect(await fixture.tierOf(purchase)).toBe("starter");
  });

  test("that is cancelled lasts until the end of its period, even without an event at the end", async () => {
    fixture.clock.advance(dayMs);
    fixture.state.setCancelled(purchase.sessionId, true);
    await receiveAll();
    expect([await fixture.tierOf(purchase), await fixture.settle()]).toEqual(["starter", 0]);
    fixture.clock.current = new Date(fixture.state.periodEnd(purchase.sessionId).getTime() - 1);
    expect(await fixture.settle()).toBe(0);
    fixture.clock.advance(1);
    expect([await fixture.settle(), await fixture.tierOf(purchase)]).toEqual([1, "free"]);
    fixture.state.changePrice(purchase.sessionId, "price_pro");
    await receiveAll();
    expect(await fixture.tierOf(purchase)).toBe("free");
  });

  test("continues if its cancellation is undone; one with a set end date ends on that date", async () => {
    fixture.state.setCancelled(purchase.sessionId, true);
    fixture.state.setCancelled(purchase.sessionId, false);
    await receiveAll();
    fixture.clock.advance(31 * dayMs);
    expect([await fixture.settle(), await fixture.tierOf(purchase)]).toEqual([0, "starter"]);
    fixture.state.setCancelled(purchase.sessionId, true, new Date(fixture.clock.now().getTime() + dayMs));
    await receiveAll();
    fixture.clock.advance(dayMs);
    expect([await fixture.settle(), await fixture.tierOf(purchase)]).toEqual([1, "free"]);
  });

  test("does not change a higher tier that an operator assigned", async () => {
    const { client } = fixture.database;
    await client.account.update({ where: { id: purchase.accountId }, data: { tier: "enterprise" } });
    fixture.state.changePrice(purchase.sessionId, "price_pro");
    fixture.state.setCancelled(purchase.sessionId, true);
    await receiveAll();
    fixture.clock.advance(60 * dayMs);
    expect([await fixture.settle(), await fixture.tierOf(purchase)]).toEqual([0, "enterprise"]);
    const { api_key: key, tier } = await fixture.reveal(purchase);
    expect([(await fixture.callerOf(key)).tier, tier]).toEqual(["enterprise", "pro"]);
  });
});

test("a run of settleSubscriptions processes at most its limit, and the next run the rest", async () => {
  const purchases = [await fixture.buy(), await fixture.buy(), await fixture.buy()];
  for (const { sessionId } of purchases) fixture.state.setCancelled(sessionId, true);
  await receiveAll();
  fixture.clock.advance(31 * dayMs);
  expect([await fixture.settle(2), await fixture.settle(2), await fixture.settle(2)]).toEqual([2, 1, 0]);
});

test("pruning deletes old events and unpaid checkouts, but no purchases", async () => {
  const paid = await fixture.buy();
  const unpaid = await fixture.begin();
  expect(await fixture.prune(new Date(start.getTime() - 1))).toBe(0);
  fixture.clock.advance(hourMs);
  const young = await fixture.begin();
  expect(await fixture.prune(new Date(start.getTime() + 1))).toBeGreaterThan(1);
  expect(await takenCount()).toBe(0);
  expect(await fixture.look(unpaid)).toBe("unknown");
  expect([await fixture.look(paid), await fixture.look(young)]).toEqual(["ready", "open"]);
});

describe("the vendors of an account", () => {
  const vendorOf = async ({ accountId }: { accountId: string }) => {
    return fixture.database.client.vendor.findFirstOrThrow({
      where: { accountId },
      orderBy: { createdAt: "asc" },
      include: { statusChanges: { orderBy: { id: "asc" } } },
    });
  };

  test("are paused when the paid period ends, and resumed, due at once, when the tier returns", async () => {
    const purchase = await fixture.buy("pro");
    const { id } = await addVendor(fixture.database.client, {
      accountId: purchase.accountId,
      status: "unreachable",
      at: start,
    });
    const byOperator = await addVendor(fixture.database.client, { accountId: purchase.accountId, status: "paused" });
    fixture.state.setCancelled(purchase.sessionId, true);
    await receiveAll();
    expect(await vendorOf(purchase)).toMatchObject({ status: "unreachable" });
    fixture.clock.advance(40 * dayMs);
    expect([await fixture.settle(), await fixture.tierOf(purchase)]).toEqual([1, "free"]);
    expect(await vendorOf(purchase)).toMatchObject({
      id,
      status: "paused",
      pausedWithTier: true,
      statusChanges: [{ from: "unreachable", to: "paused", reason: "the tier of the account no longer includes it" }],
    });
    await fixture.database.client.account.update({ where: { id: purchase.accountId }, data: { tier: "pro" } });
    expect([await fixture.settleVendors(), await fixture.settleVendors()]).toEqual([1, 0]);
    expect(await vendorOf(purchase)).toMatchObject({
      status: "active",
      pausedWithTier: false,
      nextFetchAt: fixture.clock.now(),
      statusChanges: [{}, { from: "paused", to: "active" }],
    });
    const kept = await fixture.database.client.vendor.findUniqueOrThrow({ where: { id: byOperator.id } });
    expect(kept).toMatchObject({ status: "paused", pausedWithTier: false });
  });

  test("are paused and resumed with the provider's events, in their transactions", async () => {
    const purchase = await fixture.buy("pro");
    await addVendor(fixture.database.client, { accountId: purchase.accountId });
    const stateOf = async () => [await fixture.tierOf(purchase), (await vendorOf(purchase)).status];
    fixture.state.renew(purchase.sessionId, false);
    await receiveAll();
    expect(await stateOf()).toEqual(["pro", "active"]);
    fixture.clock.advance(8 * dayMs);
    await fixture.settle();
    expect(await stateOf()).toEqual(["free", "paused"]);
    fixture.state.recover(purchase.sessionId);
    await receiveAll();
    expect(await stateOf()).toEqual(["pro", "active"]);
    fixture.state.end(purchase.sessionId);
    await receiveAll();
    expect(await stateOf()).toEqual(["free", "paused"]);
  });
});
