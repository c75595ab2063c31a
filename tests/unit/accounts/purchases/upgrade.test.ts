import { beforeEach, describe, expect, test } from "vitest";
import { createKey, getKey } from "#lib/accounts/keys/index";
import type { AccountTier } from "#lib/accounts/plans/index";
import { openPortal } from "#lib/accounts/purchases/index";
import { dayMs } from "#lib/platform/time";
import { outcomeOf } from "#tests/support/call-tool";
import { eventually } from "#tests/support/eventually";
import { provided } from "#tests/support/provided";
import type { StripeEvent } from "#tests/support/stripe-state";
import { addVendor } from "#tests/support/vendor-rows";
import { PurchaseFixture } from "./purchase-fixture";

const fixture = provided(PurchaseFixture.open);
beforeEach(() => fixture.reset());

async function issue(tier: AccountTier) {
  const { key, stored } = await createKey(fixture.context, { tier, label: null, expiresAt: null });
  return { key, accountId: stored.accountId };
}

/** Starts a purchase with a key. */
const beginWith = async (key: string, tier: "starter" | "pro" = "pro") =>
  fixture.begin(tier, null, await fixture.callerOf(key));

async function payWith(key: string, tier: "starter" | "pro" = "pro") {
  const purchase = await beginWith(key, tier);
  fixture.state.complete(purchase.sessionId);
  return purchase;
}

async function receiveAll() {
  for (const event of fixture.takeEvents()) await fixture.receive(event);
}

const detailOf = async (key: string) => getKey({ ...fixture.context, caller: await fixture.callerOf(key) });

describe("a purchase with a key", () => {
  test("gives the tier to the key's account, and there is no key to show", async () => {
    const { key, accountId } = await issue("free");
    const purchase = await payWith(key);
    expect(purchase.accountId).toBe(accountId);
    expect((await fixture.callerOf(key)).tier).toBe("free");
    expect(await fixture.look(purchase)).toBe("upgraded");
    expect((await fixture.callerOf(key)).tier).toBe("pro");
    await receiveAll();
    expect(await fixture.look({ ...purchase, cookieHeader: null })).toBe("upgraded");
    expect(await outcomeOf(fixture.reveal(purchase))).toMatch(/^conflict: This purchase has no key/);
    const { client } = fixture.database;
    expect([await client.account.count(), await client.apiKey.count()]).toEqual([1, 1]);
    expect(await detailOf(key)).toMatchObject({
      plan: "pro",
      subscription: { status: "active", renews_at: fixture.state.periodEnd(purchase.sessionId).toISOString() },
    });
  });

  test("is done by its events alone, in any order, and later ones change the tier", async () => {
    const { key } = await issue("free");
    const { sessionId } = await payWith(key, "starter");
    for (const event of fixture.takeEvents().reverse()) await fixture.receive(event);
    expect((await fixture.callerOf(key)).tier).toBe("starter");
    fixture.state.changePrice(sessionId, "price_pro");
    await receiveAll();
    expect((await fixture.callerOf(key)).tier).toBe("pro");
  });

  test("after a subscription has ended replaces it and resumes the account's vendors; its late events change nothing", async () => {
    const first = await fixture.buy("pro");
    const { key } = await fixture.reveal(first).then(({ api_key }) => ({ key: api_key }));
    const { slug } = await addVendor(fixture.database.client, { accountId: first.accountId });
    const statusOf = async () => (await fixture.database.client.vendor.findUniqueOrThrow({ where: { slug } })).status;
    fixture.state.end(first.sessionId);
    const [late] = fixture.state.events;
    await receiveAll();
    expect([(await fixture.callerOf(key)).tier, await statusOf()]).toEqual(["free", "paused"]);
    expect((await detailOf(key)).subscription).toBeNull();
    await payWith(key);
    await receiveAll();
    expect([(await fixture.callerOf(key)).tier, await statusOf()]).toEqual(["pro", "active"]);
    expect(late && (await fixture.receive({ ...late, id: "evt_late" }))).toEqual({ received: true });
    expect((await fixture.callerOf(key)).tier).toBe("pro");
  });

  test("is refused while a subscription runs, also in its grace period and once cancelled, and for a tier that it has", async () => {
    const running = await fixture.buy("starter");
    const { api_key: key } = await fixture.reveal(running);
    expect(await outcomeOf(beginWith(key))).toMatch(/^conflict: .*payment portal/);
    fixture.state.setCancelled(running.sessionId, true);
    await receiveAll();
    expect(await outcomeOf(beginWith(key))).toMatch(/^conflict: /);
    const end = fixture.state.periodEnd(running.sessionId).toISOString();
    expect((await detailOf(key)).subscription).toMatchObject({ renews_at: null, ends_at: end });
    fixture.state.setCancelled(running.sessionId, false);
    fixture.state.renew(running.sessionId, false);
    await receiveAll();
    const graceEnd = new Date(fixture.clock.now().getTime() + 7 * dayMs).toISOString();
    expect((await detailOf(key)).subscription).toMatchObject({ status: "past_due", grace_until: graceEnd });
    expect(await outcomeOf(beginWith(key))).toMatch(/^conflict: /);
    const { key: granted } = await issue("enterprise");
    expect(await outcomeOf(beginWith(granted))).toMatch(/^conflict: .*which the operator assigned/);
  });

  test("of two that were both paid makes another account of the second, so that it is not lost", async () => {
    const { key, accountId } = await issue("free");
    const [first, second] = [await beginWith(key, "starter"), await beginWith(key, "pro")];
    for (const { sessionId } of [first, second]) fixture.state.complete(sessionId);
    await receiveAll();
    expect((await fixture.callerOf(key)).tier).toBe("starter");
    const { api_key: other } = await fixture.reveal(second);
    const caller = await fixture.callerOf(other);
    expect([caller.tier, caller.accountId === accountId]).toEqual(["pro", false]);
    expect(fixture.logged.join("")).toContain("so the purchase created an account");
  });

  test("after a cancelled period replaces the subscription, whether its end was announced or not", async () => {
    const first = await fixture.buy("starter");
    const { api_key: key } = await fixture.reveal(first);
    fixture.state.setCancelled(first.sessionId, true);
    await receiveAll();
    fixture.clock.advance(31 * dayMs);
    await fixture.settle();
    await payWith(key);
    const active = fixture.takeEvents().find(({ type }) => type === "customer.subscription.updated");
    fixture.logged.length = 0;
    await fixture.receive(active as StripeEvent);
    expect((await fixture.callerOf(key)).tier).toBe("pro");
    expect(fixture.logged.join("")).not.toContain("has another subscription");
  });

  test("of which an earlier version made an account, during a deploy, shows that account's key", async () => {
    const { key } = await issue("free");
    const purchase = await beginWith(key);
    const { client } = fixture.database;
    const { id } = await client.checkout.findUniqueOrThrow({ where: { sessionId: purchase.sessionId } });
    await client.account.create({ data: { id, tier: "pro", label: null } });
    await client.checkout.update({ where: { id }, data: { accountId: id, fulfilledAt: fixture.clock.now() } });
    expect(await fixture.look(purchase)).toBe("ready");
    const { api_key: shown } = await fixture.reveal(purchase);
    expect((await fixture.callerOf(shown)).tier).toBe("pro");
  });

  test("whose events arrive at the same time is stored once, and none of them fails", async () => {
    const { key } = await issue("free");
    await payWith(key);
    const events = fixture.takeEvents();
    const [paid, active] = ["checkout.session.completed", "customer.subscription.updated"].map((type) =>
      events.find((event) => event.type === type),
    ) as [StripeEvent, StripeEvent];
    const { client } = fixture.database;
    const waitingCount = async (count: number) =>
      eventually(async () => {
        const waiting = await client.$queryRaw<unknown[]>`
          SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        expect(waiting).toHaveLength(count);
      });
    // Whoever inserts a subscription waits for this test before its transaction ends.
    await client.$executeRaw`
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$`;
    await client.$executeRaw`
      CREATE TRIGGER wait_for_test AFTER INSERT ON subscriptions FOR EACH ROW EXECUTE FUNCTION wait_for_test()`;
    try {
      const outcomes = await client.$transaction(
        async (transaction) => {
          await transaction.$executeRaw`SELECT pg_advisory_xact_lock(1)`;
          const first = outcomeOf(fixture.receive(active));
          await waitingCount(1);
          const second = outcomeOf(fixture.receive(paid));
          await waitingCount(2);
          return [first, second];
        },
        { timeout: 120_000 },
      );
      expect(await Promise.all(outcomes)).toEqual(["accepted", "accepted"]);
    } finally {
      await client.$executeRaw`DROP FUNCTION wait_for_test CASCADE`;
    }
    expect((await fixture.callerOf(key)).tier).toBe("pro");
    expect([await client.account.count(), await client.subscription.count()]).toEqual([1, 1]);
  });

  test("is needed before the portal opens", async () => {
    const open = async (key: string) =>
      openPortal({ ...fixture.context, caller: await fixture.callerOf(key) }, undefined, fixture.payments);
    const { key } = await issue("free");
    expect(await outcomeOf(open(key))).toMatch(/^not_found: .*POST \/api\/v1\/payment\/checkout/);
    expect(await outcomeOf(open((await issue("pro")).key))).toMatch(/^not_found: .*The operator assigned its tier/);
    await payWith(key);
    await receiveAll();
    expect((await open(key)).url).toMatch(/^https:\/\/billing/);
  });
});
