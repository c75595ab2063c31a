import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createRequestCounter, type RequestCounter } from "#lib/accounts/limits/counter";
import { type LimitStore, limitStores } from "#lib/accounts/limits/store";
import { parseConfig } from "#lib/platform/config";
import { RedisConnection, type RedisServer, startRedis } from "#tests/support/redis";
import { sharedDatabase } from "#tests/support/shared-database";
import { UpstashDouble } from "#tests/support/upstash-double";

const logged: string[] = [];
const log = pino({ level: "info" }, { write: (line: string) => void logged.push(line) });
const dayMs = 24 * 60 * 60 * 1000;
const nextMidnight = () => new Date((Math.floor(Date.now() / dayMs) + 1) * dayMs);

let redis: RedisServer;
let upstash: UpstashDouble;
const database = sharedDatabase();
beforeAll(async () => {
  redis = await startRedis();
  upstash = await UpstashDouble.start(redis.port);
});
afterAll(async () => {
  await upstash?.close();
  await redis?.stop();
});
beforeEach(() => {
  upstash.mode = "fine";
  logged.length = 0;
});
afterEach(() => vi.useRealTimers());

const storesOf = (kind: LimitStore["kind"]) =>
  limitStores(parseConfig(kind === "redis" ? upstash.environment : {}), database.client);
const counterOf = (kind: LimitStore["kind"], timeoutMs = 60_000) =>
  createRequestCounter({ stores: storesOf(kind), log, timeoutMs });
const count = (counter: RequestCounter, subject: string, limit: number) =>
  counter.count({ subject, limit, now: new Date() });

describe.each<[LimitStore["kind"]]>([["database"], ["redis"]])("counting in the %s", (kind) => {
  test("comes first with its configuration", () => expect(storesOf(kind)[0]?.kind).toBe(kind));

  test("returns the remaining requests, down to zero, and the reset time", async () => {
    const counter = counterOf(kind);
    const resetAt = nextMidnight();
    const answers = [];
    for (let request = 0; request < 3; request += 1) answers.push(await count(counter, "key:a", 2));
    expect(answers).toEqual([
      { allowed: true, limit: 2, remaining: 1, resetAt },
      { allowed: true, limit: 2, remaining: 0, resetAt },
      { allowed: false, limit: 2, remaining: 0, resetAt },
    ]);
    expect(logged).toEqual([]);
  });

  test("allows exactly 100 of 200 concurrent requests to two instances", async () => {
    const counters = [counterOf(kind), counterOf(kind)] as const;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => count(counters[index % 2] as RequestCounter, "key:concurrent", 100)),
    );
    const allowed = answers.flatMap((answer) => (answer?.allowed ? [answer.remaining] : []));
    expect(allowed.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(logged).toEqual([]);
  });

  test("resets at midnight UTC", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-21T23:59:59.999Z") });
    const counter = counterOf(kind);
    expect((await count(counter, "key:late", 1))?.allowed).toBe(true);
    expect(await count(counter, "key:late", 1)).toMatchObject({ allowed: false, resetAt: nextMidnight() });
    vi.setSystemTime(new Date("2026-11-22T00:00:00.000Z"));
    expect(await count(counter, "key:late", 1)).toEqual({
      allowed: true,
      limit: 1,
      remaining: 0,
      resetAt: new Date("2026-11-23T00:00:00.000Z"),
    });
  });

  test("applies a limit raised during the day, and includes the requests refused before", async () => {
    const counter = counterOf(kind);
    for (let request = 0; request < 3; request += 1) await count(counter, "key:upgraded", 2);
    expect(await count(counter, "key:upgraded", 10)).toMatchObject({ allowed: true, remaining: 6 });
  });
});

describe("Redis", () => {
  test("stores only counters, each with an expiry", async () => {
    await count(counterOf("redis"), "key:stored", 5);
    const connection = await RedisConnection.open(redis.port);
    const keys = (await connection.send(["KEYS", "*"])) as string[];
    expect(keys.filter((key) => !/^tapedeck:limits:key:[a-z]+:\d+$/.test(key))).toEqual([]);
    for (const key of keys) expect(await connection.send(["PTTL", key])).toBeGreaterThan(0);
    connection.close();
  });

  test.each(["down", "cut", "slow"] as const)(
    "in mode %s is replaced by the database until it is back",
    async (mode) => {
      const counter = counterOf("redis", 100);
      const subject = `key:${mode}`;
      upstash.mode = mode;
      expect([await count(counter, subject, 2), await count(counter, subject, 2)]).toMatchObject([
        { allowed: true, remaining: 1 },
        { allowed: true, remaining: 0 },
      ]);
      expect(logged).toHaveLength(1);
      upstash.mode = "fine";
      expect(await count(counterOf("redis"), subject, 2)).toMatchObject({ allowed: true, limit: 2, remaining: 1 });
    },
  );

  test("is not used if it is not configured", () => {
    expect(limitStores(parseConfig({}), database.client).map(({ kind }) => kind)).toEqual(["database"]);
    expect(limitStores(parseConfig({}), undefined)).toEqual([]);
  });
});
