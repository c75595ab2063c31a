import { beforeEach, describe, expect, test } from "vitest";
import { storedMailbox } from "#lib/accounts/key-mail/index";
import { createKey } from "#lib/accounts/keys/index";
import { withEnvironment } from "#lib/platform/config";
import { outcomeOf } from "#tests/support/call-tool";
import { provided } from "#tests/support/provided";
import { addVendor } from "#tests/support/vendor-rows";
import { type Purchase, PurchaseFixture } from "./purchase-fixture";

const fixture = provided(PurchaseFixture.open);
beforeEach(() => fixture.reset());

const client = () => fixture.database.client;
const [oldKey, newKey] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"));
const withKeys = <T>(keys: string | undefined, work: () => T) => withEnvironment({ ENCRYPTION_KEYS: keys }, work);
const subscriptionIdOf = ({ sessionId }: Purchase) => fixture.state.subscriptionOf(sessionId).id;

async function receiveAll(): Promise<void> {
  for (const event of fixture.takeEvents()) await fixture.receive(event);
}

/** Loses an account with all its rows, as a restored backup does. */
const lose = ({ accountId }: Purchase) => client().account.delete({ where: { id: accountId } });

/** Returns accounts and subscriptions, without times of this service. */
async function everything() {
  const times = { createdAt: true, updatedAt: true } as const;
  const [accounts, subscriptions] = await Promise.all([
    client().account.findMany({ omit: times, orderBy: { id: "asc" } }),
    client().subscription.findMany({ omit: { ...times, stateAt: true }, orderBy: { id: "asc" } }),
  ]);
  return { accounts, subscriptions };
}

describe("a walk over the provider's subscriptions", () => {
  test("after a restored backup leads to the state before it, and a second one changes nothing", async () => {
    await withKeys(oldKey, async () => {
      const purchases = [await fixture.buy("pro"), await fixture.buy("starter"), await fixture.buy("pro")] as const;
      const [lost, cancelled, changed] = purchases;
      fixture.state.end(cancelled.sessionId);
      fixture.state.changePrice(changed.sessionId, "price_starter");
      await receiveAll();
      const before = await everything();
      await lose(lost);
      await client().account.updateMany({ data: { tier: "pro" } });
      await client().subscription.updateMany({ data: { tier: "pro", status: "active", currentPeriodEnd: null } });
      const restored = await everything();
      const dry = await fixture.sync({ isDryRun: true });
      expect(await everything()).toEqual(restored);
      expect(dry.notable.map(({ subscriptionId, changes }) => [subscriptionId, changes])).toEqual([
        [subscriptionIdOf(changed), ["tier", "currentPeriodEnd", "accountTier"]],
        [subscriptionIdOf(cancelled), ["tier", "status", "currentPeriodEnd", "accountTier"]],
        [subscriptionIdOf(lost), ["account"]],
      ]);
      const done = await fixture.sync();
      expect([done.isComplete, done.notable.map(({ changes }) => changes)]).toEqual([
        true,
        dry.notable.map(({ changes }) => changes),
      ]);
      expect(await everything()).toEqual(before);
      expect(await fixture.sync()).toEqual({ isComplete: true, visitedCount: 3, notable: [] });
      expect(await client().apiKey.count()).toBe(0);
    });
  });

  test("that is stopped at any point and run again leads to the same end", async () => {
    const purchases = [await fixture.buy(), await fixture.buy(), await fixture.buy()];
    const before = await everything();
    for (let count = 0; count <= purchases.length; count += 1) {
      await client().account.deleteMany();
      const controller = new AbortController();
      let left = count;
      const { signal } = controller;
      Object.defineProperty(signal, "aborted", { get: () => left-- <= 0 });
      const { isComplete } = await fixture.sync({ signal });
      expect([isComplete, await client().account.count()]).toEqual([count === purchases.length, count]);
      await fixture.sync();
      expect(await everything()).toEqual(before);
    }
  });

  test("stores the hash of the address with today's key, and after it was changed", async () => {
    const purchase = await withKeys(oldKey, () => fixture.buy());
    const hashOf = async () => {
      const account = await client().account.findUniqueOrThrow({ where: { id: purchase.accountId } });
      return account.mailboxHash;
    };
    const expected = (key: string | undefined, address: string) => withKeys(key, () => storedMailbox(address));
    expect(await hashOf()).toBe(expected(oldKey, "buyer@example.com"));
    const { notable } = await withKeys(newKey, () => fixture.sync());
    expect([notable, await hashOf()]).toMatchObject([
      [{ changes: ["mailbox"] }],
      expected(newKey, "buyer@example.com"),
    ]);
    fixture.takeEvents();
    fixture.state.changeEmail(purchase.sessionId, "new@example.com");
    await withKeys(newKey, receiveAll);
    expect(await hashOf()).toBe(expected(newKey, "new@example.com"));
    // Without a key, the hash stays.
    await withKeys(undefined, () => fixture.sync());
    expect(await hashOf()).toBe(expected(newKey, "new@example.com"));
  });

  test("stores the hash with today's key also of an account that was lost or that bought with a key, but not its own", async () => {
    const ownHash = await withKeys(oldKey, async () => {
      await lose(await fixture.buy());
      await client().checkout.deleteMany();
      await fixture.sync();
      const ownHash = storedMailbox("owner@example.com");
      for (const mailboxHash of [null, ownHash]) {
        const { key, stored } = await createKey(fixture.context, { tier: "free" });
        await client().account.update({ where: { id: stored.accountId }, data: { mailboxHash } });
        const { sessionId } = await fixture.begin("pro", null, await fixture.callerOf(key));
        fixture.state.complete(sessionId);
      }
      await receiveAll();
      return ownHash;
    });
    await withKeys(`${newKey},${oldKey}`, () => fixture.sync());
    const hashes = (await client().account.findMany({ orderBy: { id: "asc" } })).map(({ mailboxHash }) => mailboxHash);
    const buyerHash = withKeys(newKey, () => storedMailbox("buyer@example.com"));
    expect(hashes).toEqual([buyerHash, buyerHash, ownHash]);
  });

  test("reads all pages, continues after a subscription, and says what it cannot store", async () => {
    const { state } = fixture;
    for (let count = 0; count < 120; count += 1) {
      const plan = { price: "price_other", metadata: {} };
      const subscription = state.newSubscription(`sub_other_${count}`, `cus_other_${count}`, plan);
      state.subscriptions.set(subscription.id, subscription);
    }
    const purchase = await fixture.buy();
    state.changePrice(purchase.sessionId, "price_unknown");
    const lost = await fixture.buy();
    await lose(lost);
    state.changePrice(lost.sessionId, "price_unknown");
    const ended = await fixture.buy();
    await lose(ended);
    state.end(ended.sessionId);
    const second = state.newSubscription("sub_second", "cus_second", {
      price: "price_pro",
      metadata: { tapedeck_account: purchase.accountId },
    });
    state.subscriptions.set("sub_second", Object.assign(second, { status: "active" }));
    const { visitedCount, notable } = await fixture.sync();
    expect(visitedCount).toBe(124);
    expect(notable.slice(0, 4)).toMatchObject([
      { problem: "second", changes: [] },
      { problem: "inactive", changes: [] },
      { problem: "unknown_price", accountId: null, changes: [] },
      { problem: "unknown_price", accountId: purchase.accountId },
    ]);
    expect(new Set(notable.slice(4).map(({ problem }) => problem))).toEqual(new Set(["foreign"]));
    expect(await client().account.count()).toBe(1);
    expect(await fixture.sync({ after: "sub_other_7" })).toMatchObject({ isComplete: true, visitedCount: 7 });
    expect(await outcomeOf(fixture.sync({ after: "sub_nobody" }))).toMatch(
      /^bad_request: .*no subscription sub_nobody/,
    );
  });

  test("stores a new subscription in place of an ended one, whether an event announces it or not", async () => {
    for (const isAnnounced of [true, false]) {
      const { accountId, sessionId } = await fixture.buy("pro");
      fixture.state.end(sessionId);
      await receiveAll();
      const plan = { price: "price_starter", metadata: { tapedeck_account: accountId } };
      const again = fixture.state.newSubscription(`sub_again_${isAnnounced}`, "cus_again", plan);
      fixture.state.subscriptions.set(again.id, again);
      fixture.state.change(again, { status: "active" });
      if (isAnnounced) await receiveAll();
      else fixture.takeEvents();
      await fixture.sync();
      const stored = await fixture.subscriptionOf({ accountId });
      expect([await fixture.tierOf({ accountId }), stored?.id]).toEqual(["starter", again.id]);
    }
  });

  test("names stored subscriptions that the provider does not have, and leaves their accounts as they are", async () => {
    const purchase = await fixture.buy("pro");
    fixture.state.clear();
    fixture.clock.advance(1_000);
    const { notable } = await fixture.sync();
    expect(notable).toMatchObject([{ accountId: purchase.accountId, problem: "missing", changes: [] }]);
    expect(await fixture.tierOf(purchase)).toBe("pro");
  });

  test("does not undo an event that arrives between its list and its transaction", async () => {
    const purchase = await fixture.buy("starter");
    await client().account.update({ where: { id: purchase.accountId }, data: { tier: "free" } });
    const held = fixture.double.holdNext("GET /v1/subscriptions?");
    const walk = fixture.sync();
    await held.arrived;
    fixture.clock.advance(1_000);
    fixture.state.changePrice(purchase.sessionId, "price_pro");
    await receiveAll();
    held.release();
    await walk;
    expect(await fixture.tierOf(purchase)).toBe("pro");
  });

  test("changes nothing while the provider does not respond, and pauses the vendors of an ended tier", async () => {
    const purchase = await fixture.buy("pro");
    await addVendor(client(), { accountId: purchase.accountId });
    fixture.state.end(purchase.sessionId);
    fixture.double.mode = "down";
    expect(await outcomeOf(fixture.sync())).toMatch(/^internal_error: /);
    expect(await fixture.tierOf(purchase)).toBe("pro");
    fixture.double.mode = "fine";
    await fixture.sync();
    const { status } = await client().vendor.findFirstOrThrow({ where: { accountId: purchase.accountId } });
    expect([await fixture.tierOf(purchase), status]).toEqual(["free", "paused"]);
  });
});
