import { createHmac, randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it } from "vitest";
import { type Caller, createKey, revokeKey, rotateKey } from "#lib/accounts/keys/index";
import { encryptedPrefix } from "#lib/platform/encryption";
import { checkPublicUrl } from "#lib/platform/outbound/index";
import { maxSentPerMinute } from "#lib/tracking/webhooks/deliveries/schemas";
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  pruneWebhookEvents,
  redeliver,
  reencryptSecrets,
  rotateSecret,
  sendTest,
} from "#lib/tracking/webhooks/index";
import { openSecret, sealSecret } from "#lib/tracking/webhooks/secrets";
import { outcomeOf } from "#tests/support/call-tool";
import { deferred } from "#tests/support/deferred";
import { provided } from "#tests/support/provided";
import { addVendor, reportRow } from "#tests/support/vendor-rows";
import { type Received, type Receiver, status, testKeys } from "#tests/support/webhook-receivers";
import { createWebhookFixture, type WebhookFixture } from "./webhook-fixture";

const hourMs = 3_600_000;
const events = ["intelligence.high_significance" as const];

const fixture = provided(createWebhookFixture);

let caller: Awaited<ReturnType<WebhookFixture["caller"]>>;
let receiver: Receiver;
let webhook: Awaited<ReturnType<WebhookFixture["webhook"]>>;
beforeEach(async () => {
  await fixture.client.webhookEvent.deleteMany();
  await fixture.client.webhook.deleteMany();
  caller = await fixture.caller();
  receiver = await fixture.addReceiver();
  webhook = await fixture.webhook(caller, receiver.url);
});

const contextOf = (who: Caller = caller) => ({ ...fixture.context, caller: who });
const list = (include?: "inactive", who: Caller = caller) => listWebhooks(contextOf(who), { query: { include } });
const remove = (id: string, who: Caller = caller) => deleteWebhook(contextOf(who), { query: { id } });
const rotate = (id = webhook.id, who: Caller = caller) => rotateSecret(contextOf(who), { params: { id } }, testKeys);
const test = (id = webhook.id, who: Caller = caller) => sendTest(contextOf(who), { params: { id } }, fixture.context);
const deliveries = (query: { cursor?: string; limit?: number } = {}, who: Caller = caller) =>
  listDeliveries(contextOf(who), { params: { id: webhook.id }, query: { limit: 50, ...query } });
const again = (deliveryId: string, who: Caller = caller) =>
  redeliver(contextOf(who), { params: { id: webhook.id, deliveryId } }, fixture.context);
const refusal = async (asked: Promise<unknown>) => (await outcomeOf(asked)).replace(/:.*/s, "");

describe("registering", () => {
  const create = (url: string, allowedHosts: string[] = []) =>
    createWebhook(
      contextOf(),
      { body: { url, events } },
      {
        keys: testKeys,
        check: (text) => checkPublicUrl(text, { allowedHosts, resolve: async () => ["93.184.216.34"] }),
      },
    );

  it.each([
    [
      "http://127.0.0.1:9/x",
      "127.0.0.1 is not a public address. Operators can allow it for tests: OUTBOUND_ALLOWED_HOSTS.",
    ],
    ["http://user:secret@example.com/", "must not contain a user name or password"],
    [`https://example.com/${"x".repeat(2_100)}`, "at most 2048 characters"],
  ])("rejects %s with the reason", async (url, reason) => {
    const error = await create(url).catch((thrown) => thrown);
    expect([error.code, error.message]).toEqual(["bad_request", expect.stringContaining(reason)]);
    expect(error.message).not.toContain("user:secret");
  });

  it("accepts a public URL, and one that the operator allows", async () => {
    const { webhook: made, secret } = await create("https://example.com/a?b=c");
    expect([made.url, made.active, secret]).toEqual([
      "https://example.com/a?b=c",
      true,
      expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    ]);
    await create("http://127.0.0.1:9/x", ["127.0.0.1:9"]);
  });

  it("stores the secret encrypted, without any of it in plain text", async () => {
    const { webhook: made, secret } = await create("https://example.com/");
    const row = await fixture.client.webhook.findUniqueOrThrow({ where: { id: made.id } });
    expect(row.secret.startsWith(encryptedPrefix(testKeys[0]))).toBe(true);
    expect(JSON.stringify(row)).not.toContain(secret.slice("whsec_".length));
  });

  it("returns 503 without an encryption key and names the variable to the operator alone", async () => {
    const error = await createWebhook(contextOf(), { body: { url: receiver.url, events } }).catch((thrown) => thrown);
    expect([error.code, error.message]).toEqual([
      "service_unavailable",
      expect.stringContaining("cannot store secrets"),
    ]);
    expect(error.message).not.toContain("ENCRYPTION_KEYS");
    expect(error.cause.message).toContain("ENCRYPTION_KEYS");
  });

  it("is limited to 20 active webhooks, even concurrently, and works again after one is deleted", async () => {
    const results = await Promise.all(Array.from({ length: 25 }, () => refusal(create("https://example.com/"))));
    expect(results.filter((result) => result === "accepted")).toHaveLength(19);
    expect(results.filter((result) => result === "conflict")).toHaveLength(6);
    await remove(webhook.id);
    expect(await refusal(create("https://example.com/"))).toBe("accepted");
  });
});

describe("a key's webhooks", () => {
  it("are listed with exactly the documented fields", async () => {
    const { created_at } = webhook;
    const { secret: _secret, ...fields } = webhook;
    expect(await list()).toEqual({
      _meta: { count: 1, tier: "pro" },
      webhooks: [{ ...fields, updated_at: created_at }],
    });
  });

  it("are not visible to another key, even of the same account", async () => {
    const { stored } = await createKey(fixture.context, { accountId: caller.accountId });
    const others: Caller[] = [await fixture.caller(), { ...caller, keyId: stored.id, limitId: stored.limitId }];
    for (const other of others) {
      expect((await list("inactive", other)).webhooks).toEqual([]);
      const tries = [
        remove(webhook.id, other),
        rotate(webhook.id, other),
        test(webhook.id, other),
        deliveries({}, other),
      ];
      expect(await Promise.all(tries.map(refusal))).toEqual(Array(4).fill("not_found"));
    }
    expect((await list()).webhooks).toHaveLength(1);
  });

  it("are kept when it is rotated, and still receive deliveries", async () => {
    const { new_key } = await rotateKey({ ...fixture.context, caller }, { query: {} });
    expect(new_key).toMatch(/^ltf_/);
    expect((await list()).webhooks).toHaveLength(1);
    await fixture.enqueue();
    expect((await fixture.deliver()).delivered).toBe(1);
  });

  it("are deactivated by a delete, once, and stay readable with the reason", async () => {
    expect(await remove(webhook.id)).toEqual({ deactivated: true, id: webhook.id });
    expect(await outcomeOf(remove(webhook.id))).toBe(`not_found: The webhook ${webhook.id} is already deactivated.`);
    expect(await outcomeOf(remove(randomUUID()))).toMatch(/^not_found: This key has no webhook/);
    expect((await list()).webhooks).toEqual([]);
    const [shown] = (await list("inactive")).webhooks;
    expect(shown).toMatchObject({
      id: webhook.id,
      active: false,
      deactivated_reason: "deleted by its owner",
      failing_since: null,
      deactivated_at: fixture.clock.now().toISOString(),
    });
    expect(await Promise.all([test(), rotate()].map(refusal))).toEqual(["conflict", "conflict"]);
    expect((await deliveries()).deliveries).toEqual([]);
  });
});

describe("an event", () => {
  const audience = async (vendorAccountId: string | null = null) =>
    (await fixture.enqueue({}, vendorAccountId)).deliveryCount;

  it("goes to every active webhook of tiers with webhooks, and to no other", async () => {
    for (const tier of ["pro", "enterprise", "enterprise_plus", "starter", "free"] as const) {
      await fixture.webhook(await fixture.caller(tier), receiver.url);
    }
    expect(await audience()).toBe(4);
    await fixture.client.account.update({ where: { id: caller.accountId }, data: { tier: "starter" } });
    expect(await audience()).toBe(3);
  });

  it("about an account's own vendor goes to that account only", async () => {
    const other = await fixture.caller();
    await fixture.webhook(other, receiver.url);
    expect([await audience(caller.accountId), await audience(randomUUID()), await audience()]).toEqual([1, 0, 2]);
  });

  it("does not go to a webhook whose key was revoked or has expired", async () => {
    // Another valid key of the account does not count as the webhook's key.
    await createKey(fixture.context, { accountId: caller.accountId });
    expect(await audience()).toBe(1);
    await revokeKey(fixture.context, { name: caller.keyId });
    expect(await audience()).toBe(0);
    const { stored } = await createKey(fixture.context, {
      tier: "pro",
      expiresAt: new Date(fixture.clock.now().getTime() + hourMs),
    });
    const { id: keyId, accountId, limitId } = stored;
    await fixture.webhook({ ...caller, keyId, accountId, limitId }, receiver.url);
    expect(await audience()).toBe(1);
    fixture.pass(2 * hourMs);
    expect(await audience()).toBe(0);
  });

  it("is pruned with its deliveries when it is old, but not while one is pending", async () => {
    receiver.answer = status(500);
    await fixture.enqueue();
    await fixture.deliver();
    const before = new Date(fixture.clock.now().getTime() + 1);
    expect(await pruneWebhookEvents(fixture.client, { before, limit: 10 })).toBe(0);
    receiver.answer = status(200);
    fixture.pass(10_000);
    await fixture.deliver();
    expect(await pruneWebhookEvents(fixture.client, { before, limit: 10 })).toBe(1);
    expect(await fixture.client.webhookAttempt.count()).toBe(0);
  });
});

describe("a secret", () => {
  const signatures = async () => {
    await fixture.enqueue();
    await fixture.deliver();
    return String(receiver.received.at(-1)?.headers["webhook-signature"]).split(" ");
  };
  const expected = (secret: string) => {
    const { headers, body } = receiver.received.at(-1) as Received;
    const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
    return new Webhook(secret).sign(String(headers["webhook-id"]), at, body);
  };

  it("signs together with its successor for 24 hours after a rotation", async () => {
    const { secret, previous_secret_until } = await rotate();
    expect(Date.parse(previous_secret_until) - fixture.clock.now().getTime()).toBe(24 * hourMs);
    fixture.pass(24 * hourMs - 1);
    expect(await signatures()).toEqual([expected(secret), expected(webhook.secret)]);
    // Versions that know a single previous secret read it.
    const stored = await fixture.client.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
    expect(openSecret(testKeys, webhook.id, String(stored.previousSecret))).toBe(webhook.secret);
    const { headers, body } = receiver.received.at(-1) as Received;
    const plain = createHmac("sha256", secret).update(body).digest("hex");
    expect(headers["x-ltf-signature"]).toBe(`sha256=${plain}`);
    fixture.pass(1);
    expect(await signatures()).toEqual([expected(secret)]);
  });

  it("signs until its date although others follow, of which there are at most four", async () => {
    const secrets = [webhook.secret];
    for (let hour = 0; hour < 4; hour += 1) {
      fixture.pass(hourMs);
      secrets.unshift((await rotate()).secret);
    }
    expect(await signatures()).toEqual(secrets.map(expected));
    await expect(rotate()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/ again after 2/),
    });
    fixture.pass(21 * hourMs);
    expect(await signatures()).toEqual(secrets.slice(0, 4).map(expected));
    await rotate();
  });

  it("that an earlier version replaced signs until its date", async () => {
    const previousSecretUntil = new Date(fixture.clock.now().getTime() + 2 * hourMs);
    const previousSecret = sealSecret(testKeys, webhook.id, "whsec_b2xk");
    await fixture.client.webhook.update({ where: { id: webhook.id }, data: { previousSecret, previousSecretUntil } });
    const { secret } = await rotate();
    fixture.pass(hourMs);
    expect(await signatures()).toEqual([secret, webhook.secret, "whsec_b2xk"].map(expected));
    fixture.pass(hourMs);
    expect(await signatures()).toEqual([secret, webhook.secret].map(expected));
  });

  it("that no key decrypts can be rotated", async () => {
    await fixture.client.webhook.update({ where: { id: webhook.id }, data: { secret: "v1.00000000.AAAA.AAAA" } });
    const { secret } = await rotate();
    expect(await signatures()).toEqual([expected(secret)]);
  });

  it("is rotated by only one of two concurrent requests", async () => {
    // Both read the webhook before one of them changes it.
    let readCount = 0;
    const bothHaveRead = deferred();
    const database = fixture.client.$extends({
      query: {
        webhook: {
          async findFirst({ args, query }) {
            const found = await query(args);
            readCount += 1;
            if (readCount === 2) bothHaveRead.resolve();
            await bothHaveRead.promise;
            return found;
          },
        },
      },
    }) as unknown as typeof fixture.client;
    const rotateWith = () => rotateSecret({ ...contextOf(caller), database }, { params: { id: webhook.id } }, testKeys);
    const results = await Promise.all([refusal(rotateWith()), refusal(rotateWith())]);
    expect(results.sort()).toEqual(["accepted", "conflict"]);
  });

  it("is re-encrypted with the first key; those that no key decrypts are counted", async () => {
    await rotate();
    const broken = await fixture.webhook(caller, receiver.url);
    await fixture.client.webhook.update({ where: { id: broken.id }, data: { secret: "v1.00000000.AAAA.AAAA" } });
    const newKey = Buffer.alloc(32, 9);
    const context = { ...fixture.context, keys: [newKey, ...testKeys] };
    expect(await reencryptSecrets(context)).toEqual({ reencrypted: 1, unreadable: 1 });
    expect(await reencryptSecrets(context)).toEqual({ reencrypted: 0, unreadable: 1 });
    const row = await fixture.client.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
    for (const sealed of [row.secret, row.previousSecret])
      expect(sealed?.startsWith(encryptedPrefix(newKey))).toBe(true);
    await fixture.client.webhook.delete({ where: { id: broken.id } });
    await fixture.enqueue();
    const summary = await fixture.deliver({}, { keys: [newKey] as unknown as typeof fixture.context.keys });
    expect(summary.delivered).toBe(1);
  });
});

describe("a test", () => {
  it("sends a made-up event now, marked as a test, and returns the result", async () => {
    receiver.answer = status(202, {}, "taken");
    const { delivery } = await test();
    expect(delivery).toMatchObject({ status: "delivered", test: true, attempt_count: 1, next_attempt_at: null });
    expect(delivery.attempts).toMatchObject([{ http_status: 202, error: null, response_excerpt: "taken" }]);
    const body = JSON.parse(receiver.received[0]?.body ?? "");
    expect(body).toMatchObject({
      id: delivery.event_id,
      test: true,
      type: events[0],
      data: { vendor: { slug: "quarrydb" } },
    });
    expect((await deliveries()).deliveries).toEqual([delivery]);
  });

  it.each([500, 410])("is not retried after a %i, and neither counts against the webhook nor ends it", async (code) => {
    receiver.answer = status(code);
    expect((await test()).delivery).toMatchObject({ status: "dead", next_attempt_at: null });
    fixture.pass(hourMs);
    await fixture.deliver();
    expect(receiver.received).toHaveLength(1);
    expect((await list("inactive")).webhooks).toMatchObject([{ active: true, failing_since: null }]);
  });

  it("is sent by the next run if its process ended before the attempt", async () => {
    await expect(
      sendTest(
        contextOf(),
        { params: { id: webhook.id } },
        { ...fixture.context, fetch: () => Promise.reject(new Error("killed")) },
      ),
    ).rejects.toThrow("killed");
    fixture.pass(30_000);
    expect((await fixture.deliver()).delivered).toBe(1);
  });
});

it("tests and redeliveries are limited per minute and account, because each is a request to a server of its choice", async () => {
  const first = (await test()).delivery;
  for (let count = 1; count < maxSentPerMinute; count += 1) await (count % 2 ? again(first.id) : test());
  const sent = receiver.received.length;
  expect([await refusal(test()), await refusal(again(first.id))]).toEqual(["rate_limited", "rate_limited"]);
  expect([receiver.received.length, (await deliveries()).deliveries.length]).toEqual([sent, maxSentPerMinute / 2]);
  const other = await fixture.caller();
  const { id } = await fixture.webhook(other, receiver.url);
  expect(await refusal(test(id, other))).toBe("accepted");
  fixture.pass(60_000);
  expect(await refusal(again(first.id))).toBe("accepted");
});

describe("redelivering", () => {
  const fail = async () => {
    receiver.answer = status(500, {}, "broken");
    await fixture.enqueue();
    await fixture.deliver();
    return (await deliveries()).deliveries[0] as Awaited<ReturnType<typeof deliveries>>["deliveries"][number];
  };

  it("sends the same bytes and id now", async () => {
    const failed = await fail();
    receiver.answer = status(200);
    const { delivery } = await again(failed.id);
    expect(delivery).toMatchObject({ status: "delivered", attempt_count: 2, next_attempt_at: null });
    expect(delivery.attempts.map(({ http_status }) => http_status)).toEqual([200, 500]);
    const [first, second] = receiver.received;
    expect([second?.eventId, second?.body]).toEqual([first?.eventId, first?.body]);
    await again(failed.id);
    expect(receiver.received).toHaveLength(3);
  });

  it("keeps the schedule of a pending delivery and the status of a finished one if it fails", async () => {
    const failed = await fail();
    const waiting = (await again(failed.id)).delivery;
    expect(waiting.status).toBe("pending");
    expect(Date.parse(waiting.next_attempt_at ?? "") - fixture.clock.now().getTime()).toBe(300_000);
    for (const ended of ["dead", "delivered"] as const) {
      const finishedAt = fixture.clock.now();
      await fixture.client.webhookDelivery.updateMany({ data: { status: ended, finishedAt } });
      expect((await again(failed.id)).delivery).toMatchObject({ status: ended, finished_at: finishedAt.toISOString() });
    }
    expect((await fixture.deliver()).left).toBe(0);
  });

  it("returns 409 during an attempt, and 404 for another webhook's delivery", async () => {
    const failed = await fail();
    let during = "";
    receiver.answer = async (response) => {
      during = await refusal(again(failed.id));
      response.end();
    };
    await again(failed.id);
    expect(during).toBe("conflict");
    expect(await refusal(again(randomUUID()))).toBe("not_found");
    await remove(webhook.id);
    expect(await refusal(again(failed.id))).toBe("conflict");
  });

  it("shows the delivery as in flight, and no run claims it too", async () => {
    const failed = await fail();
    fixture.pass(hourMs);
    receiver.answer = async (response) => {
      const [shown] = (await deliveries()).deliveries;
      expect([shown?.in_flight, shown?.next_attempt_at]).toEqual([true, null]);
      expect((await fixture.deliver()).delivered).toBe(0);
      response.end();
    };
    expect((await again(failed.id)).delivery).toMatchObject({ status: "delivered", in_flight: false });
    expect(receiver.received).toHaveLength(2);
  });
});

describe("the deliveries", () => {
  it("are paged once, newest first", async () => {
    for (let count = 0; count < 7; count += 1) await fixture.enqueue({ count });
    await fixture.deliver();
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 10; page += 1) {
      const { _meta, deliveries: shown } = await deliveries({ limit: 3, cursor });
      seen.push(...shown.map(({ id }) => id));
      expect(_meta).toEqual({ count: shown.length, next_cursor: _meta.next_cursor, has_more: seen.length < 7 });
      if (!_meta.next_cursor) break;
      cursor = _meta.next_cursor;
    }
    expect(seen).toEqual([...seen].sort().reverse());
    expect(new Set(seen).size).toBe(7);
    expect(await refusal(deliveries({ cursor: "x" }))).toBe("invalid_cursor");
  });

  it("name the vendor that changed, until it is deleted", async () => {
    await fixture.enqueue();
    const { id: vendorId, name, slug } = await addVendor(fixture.client, { name: "Acme" });
    const report = await fixture.client.report.create({ data: reportRow({ vendorId }) });
    await fixture.client.webhookEvent.updateMany({ data: { reportId: report.id } });
    const shown = async () => (await deliveries()).deliveries.map(({ vendor }) => vendor);
    expect(await shown()).toEqual([{ name, slug }]);
    await fixture.client.vendor.delete({ where: { id: vendorId } });
    expect(await shown()).toEqual([null]);
  });

  it("list the newest twenty attempts", async () => {
    await fixture.enqueue();
    await fixture.deliver();
    const [{ id } = { id: "" }] = (await deliveries()).deliveries;
    for (let count = 0; count < 21; count += 1) await again(id);
    const [shown] = (await deliveries()).deliveries;
    expect([shown?.attempt_count, shown?.attempts.length]).toEqual([22, 20]);
  });
});
