import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WorldEvent } from "#tests/support/stripe/world";
import { stripeSecrets } from "#tests/support/stripe-double";
import { dayMs, hourMs, type Purchase, Shop, start } from "./shop";

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.open();
});
afterAll(() => shop.close());
beforeEach(() => shop.reset());

const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => "received",
    ({ code, message }) => `${code}: ${message}`,
  );
const takenCount = () => shop.database.client.paymentEvent.count();

async function receiveAll(): Promise<void> {
  for (const event of shop.takeEvents()) await shop.receive(event);
}

describe("an event", () => {
  async function anEvent(): Promise<WorldEvent> {
    const { sessionId } = await shop.begin();
    shop.world.complete(sessionId);
    return shop.takeEvents().at(-1) as WorldEvent;
  }

  test("that the provider did not sign is rejected and changes nothing", async () => {
    const event = await anEvent();
    const before = await takenCount();
    const { body, signature } = shop.double.sign(event);
    const forgeries = [
      { body, signature: "" },
      { body, signature: signature.replace(/v1=..../, "v1=0000") },
      { body: body.replace("paid", "PAID"), signature },
      { body: `${body} `, signature },
      shop.double.sign(event, { secret: "whsec_other" }),
      { body: "", signature },
    ];
    for (const forged of forgeries) {
      expect(await refusalOf(shop.receive(event, forged))).toMatch(/^bad_request: .*signature/);
    }
    expect(await takenCount()).toBe(before);
    expect(await refusalOf(shop.receive(event, { body, signature }))).toBe("received");
  });

  test("with a signature older than five minutes is rejected", async () => {
    const event = await anEvent();
    const signed = shop.double.sign(event);
    shop.clock.pass(5 * 60_000 + 1_000);
    expect(await refusalOf(shop.receive(event, signed))).toMatch(/^bad_request: .*older than 5 minutes/);
    shop.clock.pass(-1_000);
    expect(await refusalOf(shop.receive(event, signed))).toBe("received");
  });

  test("that is signed but malformed is rejected", async () => {
    const { id, type, created } = await anEvent();
    for (const body of ["{}", "[]", "null", "<xml/>", JSON.stringify({ id, type, created })]) {
      expect(await refusalOf(shop.receive({} as WorldEvent, shop.double.signText(body)))).toMatch(/^bad_request: /);
    }
  });

  test("is processed once by its id, even if it arrives repeatedly and concurrently", async () => {
    const event = await anEvent();
    const before = await takenCount();
    await Promise.all(Array.from({ length: 8 }, () => shop.receive(event)));
    await shop.receive(event);
    expect(await takenCount()).toBe(before + 1);
    const asked = shop.double.requests.length;
    await shop.receive(event);
    expect(shop.double.requests.length).toBe(asked);
  });

  test("that does not concern this service is acknowledged and ignored", async () => {
    const accounts = await shop.database.client.account.count();
    const { sessionId, accountId } = await shop.begin();
    await shop.database.client.checkout.delete({ where: { id: accountId } });
    shop.world.complete(sessionId);
    shop.world.renew(sessionId, false);
    const strange = { ...(await anEvent()), id: "evt_strange", type: "charge.refunded" };
    for (const event of [...shop.takeEvents(), strange]) expect(await refusalOf(shop.receive(event))).toBe("received");
    expect(await shop.database.client.account.count()).toBe(accounts);
  });

  test("in the format of an older API version is understood", async () => {
    const purchase = await shop.buy();
    shop.world.renew(purchase.sessionId, false);
    const [failed] = shop.takeEvents() as [WorldEvent];
    const { parent: _parent, ...invoice } = failed.data.object;
    const subscription = shop.world.subscriptionOf(purchase.sessionId).id;
    await shop.receive({ ...failed, data: { object: { ...invoice, subscription } } });
    expect((await shop.subscriptionOf(purchase))?.status).toBe("past_due");
  });

  test("that fails is not recorded, so that its retry is processed", async () => {
    const event = await anEvent();
    for (const mode of ["down", "cut", "silent"] as const) {
      shop.double.mode = mode;
      expect(await refusalOf(shop.receive(event))).toMatch(/^internal_error: The payment provider did not respond/);
    }
    shop.double.mode = "fine";
    const before = await takenCount();
    await shop.receive(event);
    expect(await takenCount()).toBe(before + 1);
  });

  test("that arrives late does not restore an older state", async () => {
    const purchase = await shop.buy();
    shop.clock.pass(hourMs);
    shop.world.changePrice(purchase.sessionId, "price_pro");
    const [toPro] = shop.takeEvents() as [WorldEvent];
    shop.clock.pass(hourMs);
    shop.world.changePrice(purchase.sessionId, "price_starter");
    await receiveAll();
    expect(await shop.tierOf(purchase)).toBe("starter");
    const asked = shop.double.requests.length;
    await shop.receive(toPro);
    expect(await shop.tierOf(purchase)).toBe("starter");
    expect(shop.double.requests.length).toBe(asked);
  });
});

describe("a subscription", () => {
  let purchase: Purchase;
  beforeEach(async () => {
    purchase = await shop.buy("starter");
  });

  test("changes the tier when its price changes, up and down", async () => {
    for (const tier of ["pro", "starter"]) {
      shop.clock.pass(hourMs);
      shop.world.changePrice(purchase.sessionId, `price_${tier}`);
      await receiveAll();
      expect(await shop.tierOf(purchase)).toBe(tier);
    }
  });

  test("with a price that is no longer sold has the tier in the price's metadata, or keeps its tier", async () => {
    shop.world.changePrice(purchase.sessionId, "price_of_last_year", { tier: "pro" });
    await receiveAll();
    expect(await shop.tierOf(purchase)).toBe("pro");
    shop.world.changePrice(purchase.sessionId, "price_of_long_ago", { tier: "enterprise_plus" });
    await receiveAll();
    expect(await shop.tierOf(purchase)).toBe("pro");
  });

  test("with a failed payment keeps its tier for seven days, then becomes free", async () => {
    shop.clock.pass(30 * dayMs);
    shop.world.renew(purchase.sessionId, false);
    const failedAt = shop.clock.now();
    await receiveAll();
    expect(await shop.tierOf(purchase)).toBe("starter");
    expect((await shop.subscriptionOf(purchase))?.graceUntil).toEqual(new Date(failedAt.getTime() + 7 * dayMs));
    shop.clock.pass(7 * dayMs - 1);
    expect(await shop.settle()).toBe(0);
    shop.clock.pass(1);
    expect(await shop.settle()).toBe(1);
    expect([await shop.tierOf(purchase), await shop.settle()]).toEqual(["free", 0]);
  });

  test("with repeated failed payments has one grace period, from the first failure", async () => {
    shop.clock.pass(30 * dayMs);
    shop.world.renew(purchase.sessionId, false);
    const failedAt = shop.clock.now();
    await receiveAll();
    shop.clock.pass(3 * dayMs);
    shop.world.failAgain(purchase.sessionId);
    await receiveAll();
    expect((await shop.subscriptionOf(purchase))?.graceUntil).toEqual(new Date(failedAt.getTime() + 7 * dayMs));
    shop.clock.pass(30 * dayMs);
    shop.world.renew(purchase.sessionId, false);
    await receiveAll();
    expect(await shop.tierOf(purchase)).toBe("free");
  });

  test("that is paid in the end gets its tier back, and a new grace period at the next failure", async () => {
    shop.clock.pass(30 * dayMs);
    shop.world.renew(purchase.sessionId, false);
    await receiveAll();
    shop.clock.pass(8 * dayMs);
    await shop.settle();
    shop.world.recover(purchase.sessionId);
    await receiveAll();
    expect([await shop.tierOf(purchase), (await shop.subscriptionOf(purchase))?.graceUntil]).toEqual(["starter", null]);
    shop.clock.pass(22 * dayMs);
    shop.world.renew(purchase.sessionId, false);
    await receiveAll();
    expect(await shop.tierOf(purchase)).toBe("starter");
  });

  test("that is cancelled lasts until the end of its period, even without an event at the end", async () => {
    shop.clock.pass(dayMs);
    shop.world.setCancelled(purchase.sessionId, true);
    await receiveAll();
    expect([await shop.tierOf(purchase), await shop.settle()]).toEqual(["starter", 0]);
    shop.clock.current = new Date(shop.world.periodEnd(purchase.sessionId).getTime() - 1);
    expect(await shop.settle()).toBe(0);
    shop.clock.pass(1);
    expect([await shop.settle(), await shop.tierOf(purchase)]).toEqual([1, "free"]);
    shop.world.changePrice(purchase.sessionId, "price_pro");
    await receiveAll();
    expect(await shop.tierOf(purchase)).toBe("free");
  });

  test("continues if its cancellation is undone; one with a set end date ends on that date", async () => {
    shop.world.setCancelled(purchase.sessionId, true);
    shop.world.setCancelled(purchase.sessionId, false);
    await receiveAll();
    shop.clock.pass(31 * dayMs);
    expect([await shop.settle(), await shop.tierOf(purchase)]).toEqual([0, "starter"]);
    shop.world.setCancelled(purchase.sessionId, true, new Date(shop.clock.now().getTime() + dayMs));
    await receiveAll();
    shop.clock.pass(dayMs);
    expect([await shop.settle(), await shop.tierOf(purchase)]).toEqual([1, "free"]);
  });

  test("that ends moves the account to free, and its key keeps working there", async () => {
    const { api_key: key } = await shop.reveal(purchase);
    shop.clock.pass(dayMs);
    shop.world.end(purchase.sessionId);
    await receiveAll();
    expect(await shop.tierOf(purchase)).toBe("free");
    expect((await shop.callerOf(key)).tier).toBe("free");
  });

  test("does not change a higher tier that an operator assigned", async () => {
    const { client } = shop.database;
    await client.account.update({ where: { id: purchase.accountId }, data: { tier: "enterprise" } });
    shop.world.changePrice(purchase.sessionId, "price_pro");
    shop.world.setCancelled(purchase.sessionId, true);
    await receiveAll();
    shop.clock.pass(60 * dayMs);
    expect([await shop.settle(), await shop.tierOf(purchase)]).toEqual([0, "enterprise"]);
    const { api_key: key, tier } = await shop.reveal(purchase);
    expect([(await shop.callerOf(key)).tier, tier]).toEqual(["enterprise", "pro"]);
  });
});

test("a run of settleSubscriptions processes at most its limit, and the next run the rest", async () => {
  const purchases = [await shop.buy(), await shop.buy(), await shop.buy()];
  for (const { sessionId } of purchases) shop.world.setCancelled(sessionId, true);
  await receiveAll();
  shop.clock.pass(31 * dayMs);
  expect([await shop.settle(2), await shop.settle(2), await shop.settle(2)]).toEqual([2, 1, 0]);
});

test("pruning deletes old events and unpaid checkouts, but no purchases", async () => {
  const paid = await shop.buy();
  const unpaid = await shop.begin();
  expect(await shop.prune(new Date(start.getTime() - 1))).toBe(0);
  shop.clock.pass(hourMs);
  const young = await shop.begin();
  expect(await shop.prune(new Date(start.getTime() + 1))).toBeGreaterThan(1);
  expect(await takenCount()).toBe(0);
  expect(await shop.look(unpaid)).toBe("unknown");
  expect([await shop.look(paid), await shop.look(young)]).toEqual(["ready", "open"]);
});

test("no secret is logged", () => {
  expect(shop.logged.length).toBeGreaterThan(10);
  for (const secret of Object.values(stripeSecrets)) expect(shop.logged.join("\n")).not.toContain(secret);
});
