import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifyKey } from "#lib/accounts/keys/index";
import { createCheckout, revealKey } from "#lib/accounts/purchases/index";
import { stripeSecrets } from "#tests/support/stripe-double";
import { origin, Shop } from "./shop";

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.open();
});
afterAll(() => shop.close());
beforeEach(() => shop.reset());

const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => "granted",
    ({ code, message }) => `${code}: ${message}`,
  );
const keysOf = (accountId: string) => shop.database.client.apiKey.count({ where: { accountId } });

describe("a checkout", () => {
  test("is a subscription to the tier's price that returns to this site's pages", async () => {
    const { sessionId, accountId } = await shop.begin("pro");
    const session = shop.world.sessions.get(sessionId);
    expect(session).toMatchObject({
      mode: "subscription",
      client_reference_id: accountId,
      metadata: { tapedeck_account: accountId },
      success_url: `${origin}/welcome?session_id={CHECKOUT_SESSION_ID}`,
      cancel_url: `${origin}/pricing/cancelled`,
    });
    shop.world.complete(sessionId);
    const { items, metadata } = shop.world.subscriptionOf(sessionId);
    expect([items.data[0].price.id, metadata]).toEqual(["price_pro", { tapedeck_account: accountId }]);
  });

  test("sets a cookie that scripts cannot read and other sites do not send, and stores only its hash", async () => {
    const input = { body: { tier: "starter" }, header: () => null } as const;
    const ask = (at: string) => createCheckout({ ...shop.context, origin: at }, input, shop.payments);
    const { cookie } = await ask(origin);
    expect(cookie).toMatch(
      /^__Host-tapedeck_checkout=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await ask("http://127.0.0.1:3000")).cookie).toMatch(/^tapedeck_checkout=[\w-]{43}; .*SameSite=Lax$/);
    const nonce = cookie.split(/[=;]/)[1] as string;
    expect(JSON.stringify(await shop.database.client.checkout.findMany())).not.toContain(nonce);
  });

  test("keeps a browser's nonce, so that two purchases can both be completed, and replaces a malformed one", async () => {
    const first = await shop.begin();
    const second = await shop.begin("pro", `other=1; ${first.cookieHeader}`);
    expect(second.cookieHeader).toBe(first.cookieHeader);
    const third = await shop.begin("pro", "__Host-tapedeck_checkout=short");
    expect(third.cookieHeader).toMatch(/=[\w-]{43}$/);
  });

  test("is created once even if the provider's first response is lost", async () => {
    const before = shop.world.sessions.size;
    shop.double.mode = "lossy";
    const { sessionId } = await shop.begin();
    expect(shop.world.sessions.size).toBe(before + 1);
    expect(shop.world.sessions.has(sessionId)).toBe(true);
  });
});

describe("the success page", () => {
  test("fulfils a paid purchase without an event, and a later event changes nothing", async () => {
    const purchase = await shop.begin("pro");
    expect(await shop.look(purchase)).toBe("open");
    shop.world.complete(purchase.sessionId);
    const events = shop.takeEvents();
    expect(await shop.look(purchase)).toBe("ready");
    const stored = await shop.stored(purchase);
    expect(stored).toMatchObject({ accountTier: "pro", isFulfilled: true, subscription: { status: "active" } });
    for (const event of events) await shop.receive(event);
    expect(await shop.stored(purchase)).toEqual(stored);
    const account = await shop.database.client.account.findUnique({ where: { id: purchase.accountId } });
    expect(account?.label).toBeNull();
  });

  test("waits for a payment that takes days after the page is completed, and shows one that fails", async () => {
    for (const isPaid of [true, false]) {
      const purchase = await shop.begin();
      shop.world.complete(purchase.sessionId, { isDelayed: true });
      expect(await shop.look(purchase)).toBe("pending");
      expect(await refusalOf(shop.reveal(purchase))).toMatch(/^conflict: .*not arrived/);
      expect(await shop.tierOf(purchase)).toBeUndefined();
      shop.world.settleDelayed(purchase.sessionId, isPaid);
      expect(await shop.look(purchase)).toBe(isPaid ? "ready" : "failed");
      expect(await shop.tierOf(purchase)).toBe(isPaid ? "starter" : undefined);
    }
  });

  test("distinguishes expired and unknown purchases, and does not ask the provider about unknown ones", async () => {
    const purchase = await shop.begin();
    shop.world.expire(purchase.sessionId);
    expect(await shop.look(purchase)).toBe("expired");
    const before = shop.double.requests.length;
    for (const sessionId of ["cs_test_nobody", "", "../v1/customers", "cs_\0"]) {
      expect(await shop.look({ sessionId, cookieHeader: null })).toBe("unknown");
    }
    expect(shop.double.requests.length).toBe(before);
  });

  test("and twenty concurrent callers create one account", async () => {
    const purchase = await shop.begin();
    shop.world.complete(purchase.sessionId);
    const events = shop.takeEvents();
    const before = await shop.database.client.account.count();
    const looks = Array.from({ length: 10 }, () => shop.look(purchase));
    const receipts = [...events, ...events].map((event) => shop.receive(event));
    const states = await Promise.all(looks);
    await Promise.all(receipts);
    expect(new Set(states)).toEqual(new Set(["ready"]));
    expect(await shop.database.client.account.count()).toBe(before + 1);
    expect(await shop.stored(purchase)).toMatchObject({ accountTier: "starter", subscription: { status: "active" } });
  });
});

describe("the key of a purchase", () => {
  test("is created when it is shown, works at the bought tier, and is not stored", async () => {
    const purchase = await shop.buy("pro");
    expect(await keysOf(purchase.accountId)).toBe(0);
    const { api_key: key, tier } = await shop.reveal(purchase);
    const caller = await verifyKey(shop.context, `Bearer ${key}`);
    expect([caller.tier, caller.accountId, tier]).toEqual(["pro", purchase.accountId, "pro"]);
    const { client } = shop.database;
    const rows = await Promise.all([client.apiKey.findMany(), client.checkout.findMany(), client.account.findMany()]);
    expect(JSON.stringify(rows)).not.toContain(key.slice(4, 36));
  });

  test("is shown once; later attempts say what to do", async () => {
    const purchase = await shop.buy();
    await shop.reveal(purchase);
    expect(await refusalOf(shop.reveal(purchase))).toMatch(/^conflict: .*rotate.*operator/);
    expect(await shop.look(purchase)).toBe("revealed");
    expect(await keysOf(purchase.accountId)).toBe(1);
  });

  test("is shown to exactly one of ten concurrent callers", async () => {
    const purchase = await shop.buy();
    const answers = await Promise.all(Array.from({ length: 10 }, () => refusalOf(shop.reveal(purchase))));
    expect(answers.filter((answer) => answer === "granted")).toHaveLength(1);
    expect(answers.filter((answer) => answer.startsWith("conflict: "))).toHaveLength(9);
    expect(await keysOf(purchase.accountId)).toBe(1);
  });

  test("is not shown to another browser, whose attempt does not count as shown", async () => {
    const purchase = await shop.buy();
    const other = await shop.begin();
    const malformed = purchase.cookieHeader.slice(0, -1);
    for (const cookieHeader of [null, "", other.cookieHeader, malformed]) {
      expect(await refusalOf(shop.reveal({ ...purchase, cookieHeader }))).toMatch(/^forbidden: /);
      expect(await shop.look({ ...purchase, cookieHeader })).toBe("foreign");
    }
    expect(await keysOf(purchase.accountId)).toBe(0);
    expect(await refusalOf(shop.reveal(purchase))).toBe("granted");
  });

  test("is created and marked as shown in one transaction", async () => {
    const purchase = await shop.buy();
    const { ids, ...context } = shop.context;
    const broken = {
      next: () => {
        throw new Error("no id");
      },
    };
    await expect(revealKey({ ...context, ids: broken }, purchase, shop.payments)).rejects.toThrow("no id");
    expect(await keysOf(purchase.accountId)).toBe(0);
    expect(await refusalOf(revealKey({ ...context, ids }, purchase, shop.payments))).toBe("granted");
  });

  test("that cannot be stored is not marked as shown", async () => {
    const purchase = await shop.buy();
    await shop.reveal(await shop.buy());
    const taken = await shop.database.client.apiKey.findFirstOrThrow();
    const { ids: _ids, ...context } = shop.context;
    await expect(revealKey({ ...context, ids: { next: () => taken.id } }, purchase, shop.payments)).rejects.toThrow();
    expect(await shop.look(purchase)).toBe("ready");
  });

  test("is created for a paid purchase that is not fulfilled yet", async () => {
    const purchase = await shop.begin();
    shop.world.complete(purchase.sessionId);
    expect(await refusalOf(shop.reveal(purchase))).toBe("granted");
    expect(await refusalOf(shop.reveal({ ...purchase, sessionId: "cs_test_nobody" }))).toMatch(/^not_found: /);
  });
});

test("no keys, nonces, secrets, sessions or events are logged", async () => {
  shop.logged.length = 0;
  const purchase = await shop.begin("pro");
  shop.world.complete(purchase.sessionId);
  const [event] = shop.world.events;
  for (const each of shop.takeEvents()) await shop.receive(each);
  const forged = { body: "{}", signature: "t=1,v1=00" };
  await refusalOf(shop.receive(event as never, forged));
  const { api_key: key } = await shop.reveal(purchase);
  const lines = shop.logged.join("\n");
  expect(lines).toContain(purchase.accountId);
  const nonce = purchase.cookieHeader.split("=")[1] as string;
  const secrets = [key, key.slice(4), nonce, purchase.sessionId, ...Object.values(stripeSecrets)];
  for (const secret of secrets) expect([secret, lines.includes(secret)]).toEqual([secret, false]);
});
