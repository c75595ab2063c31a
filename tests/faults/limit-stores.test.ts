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
  test("is what the configuration chose", () => expect(storeOf(kind).kind).toBe(kind));

  test("says what is left, down to nothing, and until when", async () => {
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

  test("of 200 requests at once on two instances lets exactly 100 through", async () => {
    const stores = [storeOf(kind), storeOf(kind)] as const;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => count(stores[index % 2] as LimitStore, "key:crowd", 100)),
    );
    const allowed = answers.flatMap((answer) => (answer?.allowed ? [answer.remaining] : []));
    expect(allowed.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(logged).toEqual([]);
  });

  test("begins anew at midnight UTC", async () => {
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

  test("takes a limit that grew during the day, with what was refused before", async () => {
    const store = storeOf(kind);
    for (let request = 0; request < 3; request += 1) await count(store, "key:upgraded", 2);
    expect(await count(store, "key:upgraded", 10)).toMatchObject({ allowed: true, remaining: 6 });
  });
});

describe("Redis", () => {
  test("holds the counters alone, each of which ends by itself", async () => {
    await count(storeOf("redis"), "key:kept", 5);
    const connection = await RedisConnection.open(redis.port);
    const keys = (await connection.send(["KEYS", "*"])) as string[];
    expect(keys.filter((key) => !/^tapedeck:limits:key:[a-z]+:\d+$/.test(key))).toEqual([]);
    for (const key of keys) expect(await connection.send(["PTTL", key])).toBeGreaterThan(0);
    connection.close();
  });

  test.each(["down", "cut", "slow"] as const)(
    "that is %s limits nobody, and no made-up answer comes of it",
    async (mode) => {
      const store = storeOf("redis");
      upstash.mode = mode;
      const ask = () =>
        countRequest({ store, log, timeoutMs: 300 }, { subject: `key:${mode}`, limit: 1, now: new Date() });
      expect([await ask(), await ask()]).toEqual([undefined, undefined]);
      expect(logged).toHaveLength(1);
      upstash.mode = "fine";
      expect(await count(store, `key:${mode}`, 1)).toMatchObject({ allowed: true, limit: 1, remaining: 0 });
    },
  );

  test("is not asked again where it cut the connection: it may have counted the request already", async () => {
    const store = storeOf("redis");
    upstash.mode = "cut";
    const before = upstash.requestCount;
    expect(await count(store, "key:c", 5)).toBeUndefined();
    expect(upstash.requestCount - before).toBe(1);
  });

  test("is not used where one of its variables is missing", () => {
    const { UPSTASH_REDIS_REST_URL } = upstash.environment;
    expect(configuredLimitStore(parseConfig({ UPSTASH_REDIS_REST_URL }), database.client)?.kind).toBe("database");
    expect(configuredLimitStore(parseConfig({}), undefined)).toBeUndefined();
  });
});
