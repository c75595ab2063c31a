import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { countRequest, type LimitStore, pruneLimitWindows } from "#lib/accounts/limits/index";
import { databaseStore } from "#lib/accounts/limits/store";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";

const logged: string[] = [];
const log = pino({ level: "info" }, { write: (line: string) => void logged.push(line) });
const noon = new Date("2026-11-21T12:00:00.000Z");
const midnight = new Date("2026-11-22T00:00:00.000Z");
beforeEach(() => {
  logged.length = 0;
});

describe("counting in the database", () => {
  let database: TestDatabase;
  let store: LimitStore;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = databaseStore(database.client);
  });
  afterAll(() => database.drop());
  const count = (subject: string, limit: number, now = noon) => countRequest({ store, log }, { subject, limit, now });

  test("returns what is left, down to zero, and when it resets", async () => {
    const answers = [await count("key:a", 2), await count("key:a", 2), await count("key:a", 2)];
    expect(answers).toEqual([
      { allowed: true, limit: 2, remaining: 1, resetAt: midnight },
      { allowed: true, limit: 2, remaining: 0, resetAt: midnight },
      { allowed: false, limit: 2, remaining: 0, resetAt: midnight },
    ]);
    expect((await count("key:other", 2))?.remaining).toBe(1);
  });

  test("allows exactly 100 of 200 concurrent requests, each with its own count", async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => count("key:crowd", 100)));
    const allowed = answers.flatMap((answer) => (answer?.allowed ? [answer.remaining] : []));
    expect(allowed.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

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

  test("applies a limit that was raised during the day", async () => {
    for (let request = 0; request < 3; request += 1) await count("key:upgraded", 2);
    expect(await count("key:upgraded", 10)).toMatchObject({ allowed: true, remaining: 6 });
  });

  test("does not count on an unlimited plan", async () => {
    expect(await count("key:unlimited", -1)).toBeUndefined();
    expect(await database.client.limitWindow.count({ where: { subject: "key:unlimited" } })).toBe(0);
  });

  test("pruning deletes the days before a date, a limited number at a time", async () => {
    const days = ["2026-11-17", "2026-11-18", "2026-11-19"];
    for (const day of days) await count("key:old", 10, new Date(`${day}T12:00:00.000Z`));
    const prune = () =>
      pruneLimitWindows({ database: database.client }, { before: new Date("2026-11-19T09:00:00.000Z"), limit: 1 });
    expect([await prune(), await prune(), await prune()]).toEqual([1, 1, 0]);
    const left = await database.client.limitWindow.findMany({ where: { subject: "key:old" } });
    expect(left.map(({ day }) => day.toISOString().slice(0, 10))).toEqual(["2026-11-19"]);
  });
});

describe("a store that is down", () => {
  const asked = { subject: "key:a", limit: 1, now: noon };
  const taken = { allowed: true, remaining: 0, resetAt: midnight };
  const messages = () => logged.map((line) => JSON.parse(line).msg);

  test("limits no one; the outage and its end are each logged once", async () => {
    let isDown = true;
    const store: LimitStore = {
      kind: "redis",
      take: async () => {
        if (isDown) throw new Error("connection refused");
        return taken;
      },
    };
    for (let request = 0; request < 3; request += 1) expect(await countRequest({ store, log }, asked)).toBeUndefined();
    expect(messages()).toEqual(["requests are served without being counted"]);
    isDown = false;
    expect(await countRequest({ store, log }, asked)).toEqual({ ...taken, limit: 1 });
    expect(messages()).toEqual(["requests are served without being counted", "requests are counted again"]);
    isDown = true;
    await countRequest({ store, log }, asked);
    expect(messages()).toHaveLength(3);
  });

  test("is not awaited beyond the timeout, and its late failure has no effect", async () => {
    let fail: (error: Error) => void = () => undefined;
    const take = () => new Promise<never>((_settle, reject) => (fail = reject));
    const store: LimitStore = { kind: "database", take };
    expect(await countRequest({ store, log, timeoutMs: 5 }, asked)).toBeUndefined();
    fail(new Error("late"));
    expect(messages()).toHaveLength(1);
  });

  test("limits no one, like having no store", async () => {
    expect(await countRequest({ store: undefined, log }, asked)).toBeUndefined();
  });
});
