import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { deleteWebhook, deliverWebhooks } from "#lib/tracking/webhooks/index";
import { eventually } from "#tests/support/eventually";
import { provided } from "#tests/support/provided";
import { cutOff, hang, hangInBody, type Received, type Receiver, status } from "#tests/support/webhook-receivers";
import { createWebhookFixture, type WebhookFixture } from "./webhook-fixture";

const [minuteMs, hourMs] = [60_000, 3_600_000];

const fixture = provided(createWebhookFixture);

let caller: Awaited<ReturnType<WebhookFixture["caller"]>>;
let receiver: Receiver;
let webhook: Awaited<ReturnType<WebhookFixture["webhook"]>>;
beforeEach(async () => {
  await fixture.client.webhookEvent.deleteMany();
  await fixture.client.webhook.deleteMany();
  fixture.setTimeoutMs(10_000);
  caller = await fixture.caller();
  receiver = await fixture.addReceiver();
  webhook = await fixture.webhook(caller, receiver.url);
});

const rows = () => fixture.client.webhookDelivery.findMany({ include: { attempts: { orderBy: { id: "asc" } } } });
const row = async () => (await rows())[0];
const stored = () => fixture.client.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
const nothing = { delivered: 0, failed: 0, dead: 0, cancelled: 0, left: 0 };

describe("a delivery", () => {
  it("sends the event's exact bytes and is delivered after a 2xx", async () => {
    receiver.answer = status(204);
    const { eventId } = await fixture.enqueue({ report: { summary: "Straße ✓" } });
    expect(await fixture.deliver()).toEqual({ ...nothing, delivered: 1 });
    const event = await fixture.client.webhookEvent.findUniqueOrThrow({ where: { id: eventId as string } });
    expect(receiver.received.map(({ body }) => body)).toEqual([event.body]);
    expect(JSON.parse(event.body)).toEqual({
      id: eventId,
      type: "intelligence.high_significance",
      created_at: fixture.clock.now().toISOString(),
      data: { report: { summary: "Straße ✓" } },
    });
    expect(receiver.received[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": eventId,
      "webhook-timestamp": String(fixture.clock.now().getTime() / 1_000),
      "user-agent": expect.stringMatching(/^Tapedeck-Webhooks\//),
    });
    expect(await row()).toMatchObject({ status: "delivered", attemptCount: 1, leaseId: null });
    expect(await fixture.deliver()).toEqual(nothing);
    expect(receiver.received).toHaveLength(1);
  });

  it("is written and signed in the format of its webhook", async () => {
    const vendor = { name: "Acme", slug: "acme" };
    await fixture.client.webhook.update({ where: { id: webhook.id }, data: { format: "slack" } });
    await fixture.enqueue({
      report: { summary: "It ends.", significance: 4, categories: [], vendor },
      diff: { id: "d" },
    });
    expect(await fixture.deliver()).toEqual({ ...nothing, delivered: 1 });
    const [{ headers, body }] = receiver.received as [Received];
    expect(JSON.parse(body)).toMatchObject({ text: "Acme changed: It ends.", blocks: [{ type: "header" }, {}, {}] });
    const signature = createHmac("sha256", webhook.secret).update(body).digest("hex");
    expect(headers["x-ltf-signature"]).toBe(`sha256=${signature}`);
  });

  it("that always fails is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and is then dead", async () => {
    receiver.answer = status(500, {}, "no");
    const startMs = fixture.clock.now().getTime();
    await fixture.enqueue();
    const at: number[] = [];
    for (;;) {
      at.push(fixture.clock.now().getTime() - startMs);
      const { failed, dead } = await fixture.deliver();
      expect(failed + dead).toBe(1);
      const { status: state, nextAttemptAt } = (await row()) ?? {};
      if (state === "dead") break;
      const waitMs = Number(nextAttemptAt) - fixture.clock.now().getTime();
      fixture.pass(waitMs - 1);
      expect(await fixture.deliver()).toEqual(nothing);
      fixture.pass(1);
    }
    const waits = at.slice(1).map((time, index) => time - (at[index] as number));
    expect(waits).toEqual(
      [5_000, 5 * minuteMs, 30 * minuteMs].concat([2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)),
    );
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect((await row())?.attempts.map(({ httpStatus, responseExcerpt }) => [httpStatus, responseExcerpt])).toEqual(
      Array.from({ length: 10 }, () => [500, "no"]),
    );
    // Only three days without a success.
    expect((await stored()).active).toBe(true);
  });

  it.each([
    ["a redirect", status(302, { location: "http://127.0.0.1:9/" }), { httpStatus: 302, error: null }],
    ["a 304", status(304), { httpStatus: 304 }],
    ["an error of the receiver", status(503, {}, "later"), { httpStatus: 503, responseExcerpt: "later" }],
    ["no response", hang, { httpStatus: null, error: expect.stringContaining("in time") }],
    ["a cut connection", cutOff, { httpStatus: null, error: expect.stringContaining("connection ended") }],
  ])("fails with %s", async (_name, answer, attempt) => {
    if (answer === hang) fixture.setTimeoutMs(300);
    receiver.answer = answer;
    await fixture.enqueue();
    expect(await fixture.deliver()).toEqual({ ...nothing, failed: 1 });
    expect(receiver.received).toHaveLength(1);
    expect((await row())?.attempts).toMatchObject([attempt]);
    expect(await row()).toMatchObject({ status: "pending", finishedAt: null });
  });

  it("counts as delivered by a 2xx status, whatever its body does", async () => {
    receiver.answer = hangInBody;
    fixture.setTimeoutMs(300);
    await fixture.enqueue();
    expect(await fixture.deliver()).toEqual({ ...nothing, delivered: 1 });
    expect((await row())?.attempts).toMatchObject([{ httpStatus: 200, error: null, responseExcerpt: null }]);
  });

  it("starts no attempt after a deadline that has moved since the run began", async () => {
    await fixture.enqueue();
    await fixture.enqueue();
    const options = { deadlineMs: fixture.clock.monotonicMs() + hourMs, concurrency: 1 };
    receiver.answer = (response) => {
      options.deadlineMs = 0;
      response.writeHead(200).end();
    };
    expect(await deliverWebhooks(fixture.context, options)).toEqual({ ...nothing, delivered: 1, left: 1 });
  });

  it("finishes, and is retried, counted from the end of its attempt", async () => {
    const startMs = fixture.clock.now().getTime();
    const fetch: typeof fixture.context.fetch = async (...request) => {
      const answer = await fixture.context.fetch(...request);
      fixture.pass(4_000);
      return answer;
    };
    receiver.answer = status(500);
    await fixture.enqueue();
    await fixture.deliver({}, { fetch });
    expect(await row()).toMatchObject({ finishedAt: null, nextAttemptAt: new Date(startMs + 4_000 + 5_000) });
    fixture.pass(5_000);
    receiver.answer = status(200);
    await fixture.deliver({}, { fetch });
    expect(await row()).toMatchObject({ status: "delivered", finishedAt: new Date(startMs + 13_000) });
  });

  it("is not sent to a URL that is no longer public", async () => {
    await fixture.client.webhook.update({ where: { id: webhook.id }, data: { url: "http://10.0.0.1/hooks" } });
    await fixture.enqueue();
    expect(await fixture.deliver()).toEqual({ ...nothing, failed: 1 });
    expect((await row())?.attempts).toMatchObject([{ httpStatus: null, error: "10.0.0.1 is not a public address" }]);
  });

  it("waits for Retry-After up to 24 h, but never less than scheduled", async () => {
    const waits: number[] = [];
    const http = new Date(fixture.clock.now().getTime() + 2 * hourMs).toUTCString();
    for (const value of ["3600", "1", "9999999", http, "soon"]) {
      await fixture.client.webhookEvent.deleteMany();
      receiver.answer = status(429, { "retry-after": value });
      await fixture.enqueue();
      await fixture.deliver();
      waits.push(Number((await row())?.nextAttemptAt) - fixture.clock.now().getTime());
    }
    expect(waits).toEqual([hourMs, 5_000, 24 * hourMs, 2 * hourMs, 5_000]);
  });

  it("stores at most 1 KiB of a response with any bytes", async () => {
    receiver.answer = (response) => void response.writeHead(500).end(Buffer.alloc(100_000, 0));
    await fixture.enqueue();
    await fixture.deliver();
    receiver.answer = (response) => void response.writeHead(500).end(Buffer.alloc(5_000, 0xff));
    fixture.pass(10_000);
    await fixture.deliver();
    const excerpts = (await row())?.attempts.map(({ responseExcerpt }) => Buffer.byteLength(responseExcerpt ?? ""));
    for (const byteSize of excerpts ?? []) expect([byteSize > 1_000, byteSize <= 1_024]).toEqual([true, true]);
    expect(excerpts).toHaveLength(2);
  });
});

describe("a webhook", () => {
  it("whose receiver responds with 410 is deactivated at once, and pending deliveries are cancelled", async () => {
    receiver.answer = status(500);
    await fixture.enqueue();
    await fixture.deliver();
    receiver.answer = status(410);
    await fixture.enqueue();
    const summary = await fixture.deliver();
    expect(summary).toEqual({ ...nothing, failed: 1, cancelled: 2 });
    expect(await stored()).toMatchObject({ active: false, deactivatedReason: "the receiver answered 410 Gone" });
    expect((await rows()).map((delivery) => delivery.status)).toEqual(["cancelled", "cancelled"]);
    expect((await fixture.enqueue()).deliveryCount).toBe(0);
  });

  it("that fails for five days is deactivated with a reason", async () => {
    receiver.answer = status(500);
    const since = fixture.clock.now().toISOString();
    for (let day = 0; day < 5; day += 1) {
      await fixture.enqueue();
      await fixture.deliver();
      expect((await stored()).active).toBe(true);
      fixture.pass(24 * hourMs);
    }
    await fixture.enqueue();
    await fixture.deliver();
    expect(await stored()).toMatchObject({
      active: false,
      deactivatedAt: fixture.clock.now(),
      deactivatedReason: `every attempt since ${since} failed`,
    });
    // A delivery that was leased at that moment is left to the next run.
    await fixture.deliver();
    const states = await fixture.client.webhookDelivery.groupBy({ by: ["status"], _count: true });
    expect(states.map((state) => state.status)).toEqual(["cancelled"]);
  });

  it("that is deleted during an attempt is not retried", async () => {
    receiver.answer = async (response) => {
      await deleteWebhook({ ...fixture.context, caller }, { query: { id: webhook.id } });
      response.writeHead(500).end();
    };
    await fixture.enqueue();
    expect(await fixture.deliver()).toEqual({ ...nothing, cancelled: 1 });
    expect(await row()).toMatchObject({ status: "cancelled", attemptCount: 1, finishedAt: fixture.clock.now() });
  });

  it("that failed once long ago is not deactivated by another failure", async () => {
    receiver.answer = status(500);
    await fixture.enqueue();
    await fixture.deliver();
    await fixture.client.webhookDelivery.updateMany({ data: { status: "dead" } });
    fixture.pass(30 * 24 * hourMs);
    await fixture.enqueue();
    await fixture.deliver();
    expect(await stored()).toMatchObject({ active: true, failingSince: fixture.clock.now() });
  });

  it("deactivated while an event is enqueued receives nothing, and the delivery is cancelled", async () => {
    await fixture.enqueue();
    await fixture.client.webhook.update({ where: { id: webhook.id }, data: { active: false } });
    expect(await fixture.deliver()).toEqual({ ...nothing, cancelled: 1 });
    expect(receiver.received).toEqual([]);
  });

  it("gets at most four concurrent deliveries over all runs while it is not known whether its receiver is prompt", async () => {
    receiver.answer = hang;
    fixture.setTimeoutMs(1_000);
    for (let count = 0; count < 8; count += 1) await fixture.enqueue({ count });
    await Promise.all([fixture.deliver(), fixture.deliver(), fixture.deliver()]);
    expect(receiver.maxOpenCount).toBe(4);
  });

  it("gets up to 16 over all runs once its receiver is prompt", async () => {
    receiver.answer = (response) => void setTimeout(() => response.end(), 60);
    for (let count = 0; count < 80; count += 1) await fixture.enqueue({ count });
    await Promise.all([fixture.deliver(), fixture.deliver(), fixture.deliver()]);
    await eventually(async () => expect((await fixture.deliver()).left).toBe(0));
    expect(receiver.received).toHaveLength(80);
    expect(receiver.maxOpenCount).toBeGreaterThan(4);
    expect(receiver.maxOpenCount).toBeLessThanOrEqual(16);
  });

  it("gets four again within a run once its receiver is slow", async () => {
    const [promptCount, slowCount] = [40, 24];
    const openCounts: number[] = [];
    receiver.answer = (response, { body }) => {
      const isSlow = JSON.parse(body).data.count >= promptCount;
      if (isSlow) openCounts.push(receiver.openCount);
      setTimeout(() => response.end(), isSlow ? 1_200 : 60);
    };
    for (let count = 0; count < promptCount + slowCount; count += 1) {
      await fixture.enqueue({ count });
      fixture.pass(1);
    }
    expect(await fixture.deliver()).toEqual({ ...nothing, delivered: promptCount + slowCount });
    expect(receiver.maxOpenCount).toBeGreaterThan(4);
    expect(openCounts).toHaveLength(slowCount);
    // The first 16 can start before the receiver is known to be slow.
    expect(Math.max(...openCounts.slice(16))).toBeLessThanOrEqual(4);
  });

  it("that hangs does not delay others", async () => {
    const quick = await fixture.addReceiver();
    await fixture.webhook(caller, quick.url);
    receiver.answer = hang;
    fixture.setTimeoutMs(1_000);
    for (let count = 0; count < 6; count += 1) await fixture.enqueue({ count });
    expect(await fixture.deliver()).toEqual({ ...nothing, delivered: 6, failed: 6 });
    const lastQuick = Math.max(...quick.received.map(({ atMs }) => atMs));
    const lastSlow = Math.max(...receiver.received.map(({ atMs }) => atMs));
    expect(lastQuick).toBeLessThan(lastSlow);
  });
});

describe("receivers that do not respond", () => {
  it("leave their slots to others after a second", async () => {
    const quick = await fixture.addReceiver();
    const slow = [receiver, await fixture.addReceiver()];
    await fixture.webhook(caller, slow[1]?.url ?? "");
    for (let count = 0; count < 2; count += 1) await fixture.enqueue({ count });
    for (const one of slow) {
      one.answer = async (response) => {
        // Both slots are taken. The other webhook's delivery is enqueued now.
        if (slow.every(({ openCount }) => openCount > 0) && quick.received.length === 0 && !isAdded) {
          isAdded = true;
          await fixture.webhook(caller, quick.url);
          await fixture.enqueue({ count: 2 });
        }
        await eventually(() => expect(quick.received).toHaveLength(1));
        response.end();
      };
    }
    let isAdded = false;
    fixture.setTimeoutMs(60_000);
    expect(await fixture.deliver({ concurrency: 2 })).toEqual({ ...nothing, delivered: 7 });
  });
});

describe("failing receivers", () => {
  it("use at most half of a run's slots", async () => {
    const failing = [receiver, await fixture.addReceiver(), await fixture.addReceiver(), await fixture.addReceiver()];
    for (const { url } of failing.slice(1)) await fixture.webhook(caller, url);
    await fixture.client.webhook.updateMany({ data: { failingSince: fixture.clock.now() } });
    fixture.setTimeoutMs(300);
    let maxOpenCount = 0;
    for (const one of failing) {
      one.answer = () => {
        maxOpenCount = Math.max(
          maxOpenCount,
          failing.reduce((sum, { openCount }) => sum + openCount, 0),
        );
      };
    }
    for (let count = 0; count < 2; count += 1) await fixture.enqueue({ count });
    expect(await fixture.deliver({ concurrency: 4 })).toEqual({ ...nothing, failed: 8 });
    expect(maxOpenCount).toBe(2);
  });
});

describe("a run", () => {
  it("sends each delivery once, even with concurrent runs", async () => {
    for (let count = 0; count < 20; count += 1) await fixture.enqueue({ count });
    const summaries = await Promise.all(Array.from({ length: 4 }, () => fixture.deliver()));
    summaries.push(await fixture.deliver());
    expect(summaries.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(20);
    expect(receiver.received.map(({ eventId }) => eventId).sort()).toEqual(
      (await rows()).map(({ eventId }) => eventId).sort(),
    );
  });

  it("takes over the deliveries of a dead worker only after the lease has expired", async () => {
    await fixture.enqueue();
    const until = new Date(fixture.clock.now().getTime() + 30_000);
    const lease = { leaseId: crypto.randomUUID(), leaseUntil: until, nextAttemptAt: until };
    await fixture.client.webhookDelivery.updateMany({ data: lease });
    fixture.pass(29_999);
    expect((await fixture.deliver()).delivered).toBe(0);
    fixture.pass(1);
    expect((await fixture.deliver()).delivered).toBe(1);
  });

  it("that lost its lease writes nothing", async () => {
    await fixture.enqueue();
    receiver.answer = async (response) => {
      await fixture.client.webhookDelivery.updateMany({ data: { leaseId: crypto.randomUUID() } });
      response.writeHead(500).end();
    };
    expect(await fixture.deliver()).toEqual(nothing);
    expect(await row()).toMatchObject({ attemptCount: 0, attempts: [], status: "pending" });
  });

  it("that is aborted leaves none of its deliveries leased, and each due when it was before", async () => {
    for (let count = 0; count < 40; count += 1) {
      await fixture.enqueue({ count });
      fixture.pass(1);
    }
    const controller = new AbortController();
    receiver.answer = (response) => {
      response.end();
      if (receiver.received.length === 10) controller.abort();
    };
    const { delivered, left } = await fixture.deliver({ signal: controller.signal });
    expect(left).toBe(40 - delivered);
    expect(left).toBeGreaterThan(0);
    const pending = (await rows()).filter((delivery) => delivery.status === "pending");
    for (const delivery of pending) expect(delivery).toMatchObject({ leaseId: null, attemptCount: 0, attempts: [] });
    expect(pending.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual(pending.map(({ createdAt }) => createdAt));
  });

  it("starts no attempt that it has no time for", async () => {
    await fixture.enqueue();
    expect(await fixture.deliver({ deadlineMs: fixture.clock.monotonicMs() + 11_999 })).toEqual({
      ...nothing,
      left: 1,
    });
    expect(receiver.received).toEqual([]);
  });

  it("that may linger waits for a retry that is due soon", async () => {
    receiver.answer = status(500);
    await fixture.enqueue();
    receiver.answer = (response) => void response.writeHead(receiver.received.length === 1 ? 500 : 200).end();
    expect(await fixture.deliver({ lingerMs: 10_000 })).toEqual({ ...nothing, failed: 1, delivered: 1 });
    expect(fixture.waits.at(-1)).toBe(5_000);
  });

  it("sends nothing without encryption keys, and logs it", async () => {
    await fixture.enqueue();
    const { keys: _keys, ...context } = fixture.context;
    const deadlineMs = fixture.clock.monotonicMs() + hourMs;
    expect(await deliverWebhooks(context, { deadlineMs })).toEqual({ ...nothing, left: 1 });
    expect(fixture.logged.at(-1)).toContain("ENCRYPTION_KEYS is not configured");
    expect((await fixture.deliver()).delivered).toBe(1);
  });

  it("retries later if a secret cannot be decrypted, without counting it against the webhook", async () => {
    await fixture.enqueue();
    const other = { keys: [Buffer.alloc(32, 8)] as unknown as typeof fixture.context.keys };
    expect(await fixture.deliver({}, other)).toEqual({ ...nothing, failed: 1 });
    expect((await row())?.attempts).toMatchObject([{ error: expect.stringContaining("could not be decrypted") }]);
    expect([(await stored()).failingSince, receiver.received.length]).toEqual([null, 0]);
    fixture.pass(10_000);
    expect((await fixture.deliver()).delivered).toBe(1);
  });

  it("logs no secret and no path", async () => {
    receiver.answer = status(410);
    await fixture.client.webhook.update({ where: { id: webhook.id }, data: { url: `${receiver.url}/path-token` } });
    await fixture.enqueue();
    await fixture.deliver();
    expect(fixture.logged.join("")).toContain("deactivated a webhook");
    expect(fixture.logged.join("")).not.toMatch(/whsec_|path-token|v1,/);
  });
});
