import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createRequestCounter, type RequestCounter } from "#lib/accounts/limits/counter";
import { pruneLimitWindows } from "#lib/accounts/limits/index";
import { databaseStore, type LimitStore } from "#lib/accounts/limits/store";
import { sharedDatabase } from "#tests/support/shared-database";

const logged: string[] = [];
const log = pino({ level: "info" }, { write: (line: string) => void logged.push(line) });
const noon = new Date("2026-11-21T12:00:00.000Z");
const midnight = new Date("2026-11-22T00:00:00.000Z");
beforeEach(() => {
  logged.length = 0;
});
const counterOf = (stores: LimitStore[], timeoutMs = 60_000) => createRequestCounter({ stores, timeoutMs, log });

describe("counting in the database", () => {
  const database = sharedDatabase();
  let counter: RequestCounter;
  beforeAll(() => {
    counter = counterOf([databaseStore(database.client)]);
  });
  const count = (subject: string, limit: number, now = noon) => counter.count({ subject, limit, now });

  test("resets at midnight UTC, in any time zone of the database", async () => {
    await database.client.$executeRawUnsafe(
      `ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" SET timezone TO 'Pacific/Auckland'`,
    );
    await database.client.$disconnect();
    await count("key:late", 1, new Date("2026-11-21T23:59:59.999Z"));
    expect(await count("key:late", 1, new Date("2026-11-21T23:59:59.999Z"))).toMatchObject({ allowed: false });
    const next = await count("key:late", 1, midnight);
    expect(next).toEqual({ allowed: true, limit: 1, remaining: 0, resetAt: new Date("2026-11-23T00:00:00.000Z") });
  });

  test("counts each day for itself while a clock is set ahead and back", async () => {
    const tomorrow = new Date("2026-11-22T12:00:00.000Z");
    const allowed = async (now: Date) => (await count("key:clock", 1, now))?.allowed;
    expect([await allowed(tomorrow), await allowed(tomorrow), await allowed(noon), await allowed(noon)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(await allowed(tomorrow)).toBe(false);
  });

  test("pruning deletes the days before a date, a limited number at a time", async () => {
    const days = ["2026-11-17", "2026-11-18", "2026-11-19"];
    for (const day of days) await count("key:old", 10, new Date(`${day}T12:00:00.000Z`));
    const prune = () => pruneLimitWindows(database.client, { before: new Date("2026-11-19T09:00:00.000Z"), limit: 1 });
    expect([await prune(), await prune(), await prune()]).toEqual([1, 1, 0]);
    const left = await database.client.limitWindow.findMany({ where: { subject: "key:old" } });
    expect(left.map(({ day }) => day.toISOString().slice(0, 10))).toEqual(["2026-11-19"]);
  });
});

describe("a counter", () => {
  const asked = { subject: "key:a", limit: 48, now: noon };
  const taken = { allowed: true, remaining: 0, resetAt: midnight };
  const refused = { ...taken, allowed: false };
  const messages = () => logged.map((line) => JSON.parse(line).msg);
  const storeOf = (take: LimitStore["take"]): LimitStore => ({ kind: "redis", take });
  const failing = storeOf(() => Promise.reject(new Error("connection refused")));
  const unresponsive = storeOf(() => new Promise(() => undefined));

  test("asks the next store while one is down; an outage and its end are each logged once", async () => {
    let isDown = true;
    const redis = storeOf(async () => (isDown ? Promise.reject(new Error("connection refused")) : refused));
    const counter = counterOf([redis, storeOf(async () => taken)]);
    for (let request = 0; request < 3; request += 1) {
      expect(await counter.count(asked)).toEqual({ ...taken, limit: 48 });
    }
    expect(messages()).toEqual(["the store of the limits is down"]);
    isDown = false;
    expect(await counter.count(asked)).toEqual({ ...refused, limit: 48 });
    expect(messages()).toEqual(["the store of the limits is down", "the store of the limits counts requests again"]);
  });

  test.each([
    ["fails", failing],
    ["is unresponsive", unresponsive],
  ])("serves a 24th of the limit per client and hour while every store %s", async (_state, store) => {
    const counter = counterOf([store], 20);
    expect([await counter.count(asked), await counter.count(asked)]).toEqual([undefined, undefined]);
    await expect(counter.count(asked)).rejects.toMatchObject({
      code: "service_unavailable",
      headers: { "Retry-After": "3600" },
    });
    expect(await counter.count({ ...asked, subject: "key:other" })).toBeUndefined();
    expect(await counter.count({ ...asked, now: new Date(noon.getTime() + 3_600_000) })).toBeUndefined();
    expect(messages()).toEqual(["the store of the limits is down"]);
  });

  test("has one request at a time try an unresponsive store again; the others are not held up", async () => {
    let callCount = 0;
    const store = storeOf(() => {
      callCount += 1;
      return new Promise(() => undefined);
    });
    const counter = counterOf([store], 20);
    expect(await counter.count(asked)).toBeUndefined();
    const trial = counter.count(asked);
    const other = counter.count({ ...asked, subject: "key:b" });
    expect(callCount).toBe(2);
    expect(await Promise.all([trial, other])).toEqual([undefined, undefined]);
  });

  test("repeats a call that failed, because an idle connection may have been closed", async () => {
    let callCount = 0;
    const store = storeOf(async () => {
      callCount += 1;
      if (callCount === 1) throw new Error("other side closed");
      return taken;
    });
    expect(await counterOf([store]).count(asked)).toEqual({ ...taken, limit: 48 });
    expect(logged).toEqual([]);
  });

  test("remembers a refusal until the day ends, or a higher limit applies", async () => {
    let askedCount = 0;
    const counter = counterOf([
      storeOf(async (_subject, _limit, now) => {
        askedCount += 1;
        return { ...refused, resetAt: now < midnight ? midnight : new Date("2026-11-23T00:00:00.000Z") };
      }),
    ]);
    for (let request = 0; request < 3; request += 1) {
      expect(await counter.count(asked)).toEqual({ ...refused, limit: 48 });
    }
    expect(askedCount).toBe(1);
    expect(await counter.count({ ...asked, limit: 10 })).toMatchObject({ allowed: false, limit: 10 });
    expect(askedCount).toBe(1);
    await counter.count({ ...asked, limit: 100 });
    expect(askedCount).toBe(2);
    await counter.count({ ...asked, now: midnight });
    expect(askedCount).toBe(3);
  });

  test("waits for an answer that it could not read, because the event loop was blocked", async () => {
    // Like an answer that has arrived, it is read in parts, with the timers that are due in between.
    const arrived = storeOf(async () => {
      for (let part = 0; part < 4; part++) await setImmediate();
      return taken;
    });
    const answer = counterOf([arrived], 50).count(asked);
    for (const endMs = performance.now() + 200; performance.now() < endMs; );
    expect(await answer).toEqual({ ...taken, limit: 48 });
  });

  test("waits for a store that answers others meanwhile", async () => {
    const waiting: (() => void)[] = [];
    const counter = counterOf([storeOf(() => new Promise((resolve) => waiting.push(() => resolve(taken))))], 200);
    const answers = Array.from({ length: 5 }, () => counter.count(asked));
    for (let call = 0; call < 5; call += 1) {
      await new Promise((settle) => setTimeout(settle, 80));
      waiting[call]?.();
      expect(await answers[call]).toEqual({ ...taken, limit: 48 });
    }
    expect(logged).toEqual([]);
  });

  test("counts nothing without a store, or on an unlimited plan", async () => {
    expect(await counterOf([]).count(asked)).toBeUndefined();
    expect(await counterOf([failing]).count({ ...asked, limit: -1 })).toBeUndefined();
    expect(logged).toEqual([]);
  });
});
