import { beforeEach, describe, expect, test } from "vitest";
import { verifyKey } from "#lib/accounts/keys/index";
import { createCheckout, revealKey } from "#lib/accounts/purchases/index";
import { hourMs } from "#lib/platform/time";
import { outcomeOf } from "#tests/support/call-tool";
import { provided } from "#tests/support/provided";
import { stripeSecrets } from "#tests/support/stripe-double";
import { origin, PurchaseFixture } from "./purchase-fixture";

const fixture = provided(PurchaseFixture.open);
beforeEach(() => fixture.reset());

const keysOf = (accountId: string) => fixture.database.client.apiKey.count({ where: { accountId } });

describe("a checkout", () => {
  test("is a subscription to the tier's price that returns to this site's pages", async () => {
    const { sessionId, accountId } = await fixture.begin("pro");
    const session = fixture.state.sessions.get(sessionId);
    expect(session).toMatchObject({
      mode: "subscription",
      client_reference_id: accountId,
      metadata: { tapedeck_account: accountId },
      success_url: `${origin}/welcome?session_id={CHECKOUT_SESSION_ID}`,
      cancel_url: `${origin}/pricing/cancelled`,
    });
    fixture.state.complete(sessionId);
    const { items, metadata } = fixture.state.subscriptionOf(sessionId);
    expect([items.data[0].price.id, metadata]).toEqual(["price_pro", { tapedeck_account: accountId }]);
  });

  test("sets a cookie that scripts cannot read and other sites do not send, and stores only its hash", async () => {
    const input = { body: { tier: "starter" }, header: () => null } as const;
    const ask = (at: string) => createCheckout({ ...fixture.context, origin: at }, input, fixture.payments);
    const { cookie } = await ask(origin);
    expect(cookie).toMatch(
      /^__Host-tapedeck_checkout=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await ask("http://127.0.0.1:3000")).cookie).toMatch(/^tapedeck_checkout=[\w-]{43}; .*SameSite=Lax$/);
    const nonce = cookie.split(/[=;]/)[1] as string;
    expect(JSON.stringify(await fixture.database.client.checkout.findMany())).not.toContain(nonce);
  });

  test("keeps a browser's nonce, expires the checkout that it left open, and replaces a malformed nonce", async () => {
    const first = await fixture.begin();
    const second = await fixture.begin("pro", `other=1; ${first.cookieHeader}`);
    expect(second.cookieHeader).toBe(first.cookieHeader);
    const statusOf = ({ sessionId }: { sessionId: string }) => fixture.state.sessions.get(sessionId)?.status;
    expect([statusOf(first), statusOf(second)]).toEqual(["expired", "open"]);
    const third = await fixture.begin("pro", "__Host-tapedeck_checkout=short");
    expect(third.cookieHeader).toMatch(/=[\w-]{43}$/);
    expect(statusOf(second)).toBe("open");
  });

  test("is refused to a browser that has paid in the last hour, also before the event arrives", async () => {
    for (const isDelayed of [false, true]) {
      const { sessionId, cookieHeader } = await fixture.begin("starter");
      fixture.state.complete(sessionId, { isDelayed });
      const before = fixture.state.sessions.size;
      expect(await outcomeOf(fixture.begin("pro", cookieHeader))).toMatch(/^conflict: .*last hour.*portal/);
      expect(fixture.state.sessions.size).toBe(before);
      fixture.clock.advance(hourMs - 1);
      expect(await outcomeOf(fixture.begin("pro", cookieHeader))).toMatch(/^conflict: /);
      fixture.clock.advance(1);
      expect(await outcomeOf(fixture.begin("pro", cookieHeader))).toBe("accepted");
    }
  });

  test("is not replaced if it cannot be expired, because it may just have been paid", async () => {
    const { sessionId, cookieHeader } = await fixture.begin();
    const held = fixture.double.holdNext("GET /v1/checkout/sessions/");
    const second = outcomeOf(fixture.begin("pro", cookieHeader));
    await held.arrived;
    fixture.state.complete(sessionId);
    held.release();
    expect(await second).toMatch(/^internal_error: /);
    expect(await outcomeOf(fixture.begin("pro", cookieHeader))).toMatch(/^conflict: /);
  });

  test.each([
    ["another amount", { unit_amount: 3_900, currency: "eur" }, "39.00 EUR every month, but starter costs 29.00 USD"],
    ["another amount in yen", { unit_amount: 3_900, currency: "jpy" }, "3900 JPY every month"],
    ["another period", { recurring: { interval: "month", interval_count: 3 } }, "29.00 USD every 3 months"],
    ["no fixed amount", { unit_amount: null }, "no fixed amount every month"],
  ])("is refused, and the log says so, for a price with %s", async (_name, change, text) => {
    const price = fixture.state.prices.get("price_starter");
    const right = structuredClone(price);
    Object.assign(price as object, change);
    const outcome = await outcomeOf(fixture.begin()).finally(() => Object.assign(price as object, right));
    expect(outcome).toMatch(/^internal_error: .*STRIPE_PRICE_STARTER/);
    expect(outcome).toContain(text);
    expect(fixture.logged.join()).toContain("refused a checkout");
    expect(await outcomeOf(fixture.begin())).toBe("accepted");
  });

  test("is refused after ten in an hour from one network, before anything is stored or the provider is called", async () => {
    fixture.address = "198.51.100.7";
    const started = await Promise.all(Array.from({ length: 15 }, () => fixture.begin().catch((error) => error)));
    const refused = started.filter((result) => result instanceof Error);
    expect(refused).toHaveLength(5);
    // The clock of the fixture stands at the start of an hour.
    expect(refused[0]).toMatchObject({ code: "rate_limited", status: 429, headers: { "Retry-After": "3600" } });
    expect(await fixture.database.client.checkout.count()).toBe(10);
    const sessionCount = fixture.state.sessions.size;
    fixture.clock.advance(3_599_000);
    expect(await outcomeOf(fixture.begin())).toContain("Try again after 2026-11-21T13:00:00.000Z");
    expect(fixture.state.sessions.size).toBe(sessionCount);
    fixture.address = "2001:db8:0:1::1";
    expect((await fixture.begin()).sessionId).toMatch(/^cs_/);
    fixture.address = "198.51.100.7";
    fixture.clock.advance(1_000);
    expect((await fixture.begin()).sessionId).toMatch(/^cs_/);
  });

  test("is created once even if the provider's first response is lost", async () => {
    const before = fixture.state.sessions.size;
    fixture.double.mode = "lossy";
    const { sessionId } = await fixture.begin();
    expect(fixture.state.sessions.size).toBe(before + 1);
    expect(fixture.state.sessions.has(sessionId)).toBe(true);
  });
});

describe("the success page", () => {
  test("fulfils a paid purchase without an event, and a later event changes nothing", async () => {
    const purchase = await fixture.begin("pro");
    expect(await fixture.look(purchase)).toBe("open");
    fixture.state.complete(purchase.sessionId);
    const events = fixture.takeEvents();
    expect(await fixture.look(purchase)).toBe("ready");
    const stored = await fixture.stored(purchase);
    expect(stored).toMatchObject({ accountTier: "pro", isFulfilled: true, subscription: { status: "active" } });
    for (const event of events) await fixture.receive(event);
    expect(await fixture.stored(purchase)).toEqual(stored);
    const account = await fixture.database.client.account.findUnique({ where: { id: purchase.accountId } });
    expect(account?.label).toBeNull();
  });

  test("waits for a payment that takes days after the page is completed, and shows one that fails", async () => {
    for (const isPaid of [true, false]) {
      const purchase = await fixture.begin();
      fixture.state.complete(purchase.sessionId, { isDelayed: true });
      expect(await fixture.look(purchase)).toBe("pending");
      expect(await outcomeOf(fixture.reveal(purchase))).toMatch(/^conflict: .*not arrived/);
      expect(await fixture.tierOf(purchase)).toBeUndefined();
      fixture.state.settleDelayed(purchase.sessionId, isPaid);
      expect(await fixture.look(purchase)).toBe(isPaid ? "ready" : "failed");
      expect(await fixture.tierOf(purchase)).toBe(isPaid ? "starter" : undefined);
    }
  });

  test("distinguishes expired and unknown purchases, and does not ask the provider about unknown ones", async () => {
    const purchase = await fixture.begin();
    fixture.state.expire(purchase.sessionId);
    expect(await fixture.look(purchase)).toBe("expired");
    const before = fixture.double.requests.length;
    for (const sessionId of ["cs_test_nobody", "", "../v1/customers", "cs_\0"]) {
      expect(await fixture.look({ sessionId, cookieHeader: null })).toBe("unknown");
    }
    expect(fixture.double.requests.length).toBe(before);
  });

  test("and twenty concurrent callers create one account", async () => {
    const purchase = await fixture.begin();
    fixture.state.complete(purchase.sessionId);
    const events = fixture.takeEvents();
    const before = await fixture.database.client.account.count();
    const looks = Array.from({ length: 10 }, () => fixture.look(purchase));
    const receipts = [...events, ...events].map((event) => fixture.receive(event));
    const states = await Promise.all(looks);
    await Promise.all(receipts);
    expect(new Set(states)).toEqual(new Set(["ready"]));
    expect(await fixture.database.client.account.count()).toBe(before + 1);
    expect(await fixture.stored(purchase)).toMatchObject({
      accountTier: "starter",
      subscription: { status: "active" },
    });
  });
});

describe("the key of a purchase", () => {
  test("is created when it is shown, works at the bought tier, and is not stored", async () => {
    const purchase = await fixture.buy("pro");
    expect(await keysOf(purchase.accountId)).toBe(0);
    const { api_key: key, tier } = await fixture.reveal(purchase);
    const caller = await verifyKey(fixture.context, `Bearer ${key}`);
    expect([caller.tier, caller.accountId, tier]).toEqual(["pro", purchase.accountId, "pro"]);
    const { client } = fixture.database;
    const rows = await Promise.all([client.apiKey.findMany(), client.checkout.findMany(), client.account.findMany()]);
    expect(JSON.stringify(rows)).not.toContain(key.slice(4, 36));
  });

  test("is shown to exactly one of ten concurrent callers", async () => {
    const purchase = await fixture.buy();
    const answers = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(fixture.reveal(purchase))));
    expect(answers.filter((answer) => answer === "accepted")).toHaveLength(1);
    expect(answers.filter((answer) => /^conflict: .*rotate.*operator/.test(answer))).toHaveLength(9);
    expect(await fixture.look(purchase)).toBe("revealed");
    expect(await keysOf(purchase.accountId)).toBe(1);
  });

  test("is not shown to another browser, whose attempt does not count as shown", async () => {
    const purchase = await fixture.buy();
    const other = await fixture.begin();
    const malformed = purchase.cookieHeader.slice(0, -1);
    for (const cookieHeader of [null, "", other.cookieHeader, malformed]) {
      expect(await outcomeOf(fixture.reveal({ ...purchase, cookieHeader }))).toMatch(/^forbidden: /);
      expect(await fixture.look({ ...purchase, cookieHeader })).toBe("foreign");
    }
    expect(await keysOf(purchase.accountId)).toBe(0);
    expect(await outcomeOf(fixture.reveal(purchase))).toBe("accepted");
  });

  test("is created and marked as shown in one transaction", async () => {
    const purchase = await fixture.buy();
    const { ids, ...context } = fixture.context;
    const broken = {
      next: () => {
        throw new Error("no id");
      },
    };
    await expect(revealKey({ ...context, ids: broken }, purchase, fixture.payments)).rejects.toThrow("no id");
    expect(await keysOf(purchase.accountId)).toBe(0);
    expect(await outcomeOf(revealKey({ ...context, ids }, purchase, fixture.payments))).toBe("accepted");
  });

  test("is created for a paid purchase that is not fulfilled yet", async () => {
    const purchase = await fixture.begin();
    fixture.state.complete(purchase.sessionId);
    expect(await outcomeOf(fixture.reveal(purchase))).toBe("accepted");
    expect(await outcomeOf(fixture.reveal({ ...purchase, sessionId: "cs_test_nobody" }))).toMatch(/^not_found: /);
  });
});

test("no keys, nonces, secrets, sessions or events are logged", async () => {
  fixture.logged.length = 0;
  const purchase = await fixture.begin("pro");
  fixture.state.complete(purchase.sessionId);
  const [event] = fixture.state.events;
  for (const each of fixture.takeEvents()) await fixture.receive(each);
  const forged = { body: "{}", signature: "t=1,v1=00" };
  await outcomeOf(fixture.receive(event as never, forged));
  const { api_key: key } = await fixture.reveal(purchase);
  const lines = fixture.logged.join("\n");
  expect(lines).toContain(purchase.accountId);
  const nonce = purchase.cookieHeader.split("=")[1] as string;
  const secrets = [key, key.slice(4), nonce, purchase.sessionId, ...Object.values(stripeSecrets)];
  for (const secret of secrets) expect([secret, lines.includes(secret)]).toEqual([secret, false]);
});
