import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { countRequest, type LimitStore } from "#lib/accounts/limits/index";
import { configuredLimitStore } from "#lib/accounts/limits/store";
import { parseConfig } from "#lib/platform/config";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { RedisConnection, type RedisServer, startRedis } from "#tests/support/redis";
import { UpstashDouble } from "#tests/support/upstash-double";

const logged: string[] = [];
const log = pino({ level: "info" }, { write: (line: string) => void logged.push(line) });
const dayMs = 24 * 60 * 60 * 1000;
const nextMidnight = () => new Date((Math.floor(Date.now() / dayMs) + 1) * dayMs);

let redis: RedisServer;
let upstash: UpstashDouble;
let database: TestDatabase;
beforeAll(async () => {
  redis = await startRedis();
  upstash = await UpstashDouble.start(redis.port);
  database = await createTestDatabase();
});
afterAll(async () => {
  await upstash?.close();
  await redis?.stop();
  await database?.drop();
});
beforeEach(() => {
  upstash.mode = "fine";
  logged.length = 0;
});
afterEach(() => vi.useRealTimers());

const storeOf = (kind: LimitStore["kind"]) =>
  configuredLimitStore(parseConfig(kind === "redis" ? upstash.environment : {}), database.client) as LimitStore;
const count = (store: LimitStore, subject: string, limit: number) =>
  countRequest({ store, log, timeoutMs: 5_000 }, { subject, limit, now: new Date() });

describe.each<[LimitStore["kind"]]>([["database"], ["redis"]])("counting in the %s", (kind) => {
  test("is selected by the configuration", () => expect(storeOf(kind).kind).toBe(kind));

  test("returns the remaining requests, down to zero, and the reset time", async () => {
    const store = storeOf(kind);
    const resetAt = nextMidnight();
    const answers = [];
    for (let request = 0; request < 3; request += 1) answers.push(await count(store, "key:a", 2));
    expect(answers).toEqual([
      { allowed: true, limit: 2, remaining: 1, resetAt },
      { allowed: true, limit: 2, remaining: 0, resetAt },
      { allowed: false, limit: 2, remaining: 0, resetAt },
    ]);
    expect(logged).toEqual([]);
  });

  test("allows exactly 100 of 200 concurrent requests to two instances", async () => {
    const stores = [storeOf(kind), storeOf(kind)] as const;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => count(stores[index % 2] as LimitStore, "key:concurrent", 100)),
    );
    const allowed = answers.flatMap((answer) => (answer?.allowed ? [answer.remaining] : []));
    expect(allowed.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(logged).toEqual([]);
  });

  test("resets at midnight UTC", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-21T23:59:59.999Z") });
    const store = storeOf(kind);
    expect((await count(store, "key:late", 1))?.allowed).toBe(true);
    expect(await count(store, "key:late", 1)).toMatchObject({ allowed: false, resetAt: nextMidnight() });
    vi.setSystemTime(new Date("2026-11-22T00:00:00.000Z"));
    expect(await count(store, "key:late", 1)).toEqual({
      allowed: true,
      limit: 1,
      remaining: 0,
      resetAt: new Date("2026-11-23T00:00:00.000Z"),
    });
  });

  test("applies a limit raised during the day, and includes the requests refused before", async () => {
    const store = storeOf(kind);
    for (let request = 0; request < 3; request += 1) await count(store, "key:upgraded", 2);
    expect(await count(store, "key:upgraded", 10)).toMatchObject({ allowed: true, remaining: 6 });
  });
});

describe("Redis", () => {
  test("stores only counters, each with an expiry", async () => {
    await count(storeOf("redis"), "key:stored", 5);
    const connection = await RedisConnection.open(redis.port);
    const keys = (await connection.send(["KEYS", "*"])) as string[];
    expect(keys.filter((key) => !/^tapedeck:limits:key:[a-z]+:\d+$/.test(key))).toEqual([]);
    for (const key of keys) expect(await connection.send(["PTTL", key])).toBeGreaterThan(0);
    connection.close();
  });

  test.each(["down", "cut", "slow"] as const)(
    "in mode %s disables limits, and returns no result instead of a wrong one",
    async (mode) => {
      const store = storeOf("redis");
      upstash.mode = mode;
      const send = () =>
        countRequest({ store, log, timeoutMs: 300 }, { subject: `key:${mode}`, limit: 1, now: new Date() });
      expect([await send(), await send()]).toEqual([undefined, undefined]);
      expect(logged).toHaveLength(1);
      upstash.mode = "fine";
      expect(await count(store, `key:${mode}`, 1)).toMatchObject({ allowed: true, limit: 1, remaining: 0 });
    },
  );

  test("gets no retry after a closed connection, because it may have counted the request", async () => {
    const store = storeOf("redis");
    upstash.mode = "cut";
    const before = upstash.requestCount;
    expect(await count(store, "key:c", 5)).toBeUndefined();
    expect(upstash.requestCount - before).toBe(1);
  });

  test("is not used if one of its variables is missing", () => {
    const { UPSTASH_REDIS_REST_URL } = upstash.environment;
    expect(configuredLimitStore(parseConfig({ UPSTASH_REDIS_REST_URL }), database.client)?.kind).toBe("database");
    expect(configuredLimitStore(parseConfig({}), undefined)).toBeUndefined();
  });
});
