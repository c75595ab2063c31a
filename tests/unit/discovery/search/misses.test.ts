import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { clearMisses, findMisses, pruneMisses, search } from "#lib/discovery/search/index";
import { countMiss } from "#lib/discovery/search/misses/count-miss";
import { missText } from "#lib/discovery/search/misses/miss-text";
import { addMisses, keptCount, maxStoredCount } from "#lib/discovery/search/misses/store";
import { config } from "#lib/platform/config";
import type { Database } from "#lib/platform/database/index";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { runCommand } from "#tests/support/run-cli";
import { bundledCatalogue, searchContext } from "./search-context";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => void (await clearMisses(database.client)));

/** A context whose database no earlier test has written misses to. */
function newContext() {
  const target = database.client;
  const own: Database = new Proxy(target, { get: (_target, key) => Reflect.get(target, key, target) });
  return { ...searchContext(bundledCatalogue()), database: own };
}

const stored = async () => (await findMisses(database.client, 5_000)).map(({ query, count }) => [query, count]);
const today = new Date();

describe("the text of a search without results", () => {
  it("is its lower-case words, at most 64 characters", () => {
    expect(missText("  How do I  GO-OFFLINE?! ")).toBe("how do i go offline");
    expect(missText("Wörter, そば")).toBe("wörter そば");
    expect(missText("word ".repeat(50))).toBe("word ".repeat(13).trim().slice(0, 64));
    for (const q of ["", " ", "?!", "the of", "a b"]) expect([q, missText(q)]).toEqual([q, undefined]);
  });

  it.each([
    "someone@example.com",
    "mail someone@example",
    "sk-ant-api03-abcdefgh12345678",
    "why is ltf_0123456789abcdefghijABCDEFGHIJ01234567 invalid",
    "whsec_c2VjcmV0c2VjcmV0",
    "AKIAIOSFODNN7EXAMPLE",
    "0a3f9c27-3b1e-4b0a-9a51-0d6a2f1c7e55",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln",
    "password: hunter",
    "token=abc",
    "https://example.com/private",
    "192.0.2.17",
    "+49 170 1234567",
    "4111 1111 1111 1111",
    "x".repeat(40),
    "word ".repeat(500),
  ])("is not stored if it looks private: %s", (q) => {
    expect(missText(q)).toBeUndefined();
  });
});

describe("tapedeck search misses", () => {
  it("lists the most frequent first, and deletes all", async () => {
    const run = (...args: string[]) =>
      runCommand(["search", "misses", ...args], { environment: { DATABASE_URL: database.url } });
    expect((await run()).stdout).toBe("No search without results is stored.\n");
    await addMisses(database.client, {
      counts: new Map([
        ["offline mode", 2],
        ["login", 12],
      ]),
      day: today,
    });
    const day = today.toISOString().slice(0, 10);
    expect((await run()).stdout).toBe(`    12  ${day}  login\n     2  ${day}  offline mode\n`);
    expect(JSON.parse((await run("--json", "--limit", "1")).stdout)).toEqual({
      misses: [{ query: "login", count: 12, last_day: day }],
    });
    expect((await run("--clear")).stdout).toBe("Deleted: 2.\n");
    expect(await stored()).toEqual([]);
  });
});

describe("searches without results", () => {
  it("are counted, but not those with results or partial words, nor without a word", async () => {
    const context = newContext();
    for (const [q, partial] of [
      ["webhook", false],
      ["zzzqqq", true],
      ["the", false],
      ["Zzzqqq?", false],
    ] as const) {
      await search(context, { q, limit: 5, partial });
    }
    await expect.poll(stored).toEqual([["zzzqqq", 1]]);
    const [miss] = await findMisses(database.client, 1);
    expect(miss?.lastDay.toISOString().slice(0, 10)).toBe(today.toISOString().slice(0, 10));
  });

  it("are written at once, then together after ten seconds, and never fail a search", async () => {
    const context = newContext();
    let nowMs = 0;
    const clock = { ...context.clock, monotonicMs: () => nowMs };
    await countMiss({ ...context, clock }, "zzz first");
    expect(await stored()).toEqual([["zzz first", 1]]);
    for (const q of ["zzz second", "zzz first", "zzz second"])
      expect(countMiss({ ...context, clock }, q)).toBeUndefined();
    nowMs += 10_000;
    await countMiss({ ...context, clock }, "zzz second");
    expect(await stored()).toEqual([
      ["zzz second", 3],
      ["zzz first", 2],
    ]);
    const failing = { $executeRaw: () => Promise.reject(new Error("down")) } as unknown as Database;
    await countMiss({ ...context, database: failing }, "zzz");
  });

  it("are not counted if that is turned off, or without a database", async () => {
    expect(config().SEARCH_MISSES).toBe("on");
    expect(countMiss(newContext(), "zzz", { isOn: false })).toBeUndefined();
    expect(countMiss(searchContext(bundledCatalogue()), "zzz")).toBeUndefined();
  });

  it("are bounded: further ones are not stored, known ones still counted, and pruning keeps the most frequent", async () => {
    const many = new Map(Array.from({ length: maxStoredCount }, (_, number) => [`q${number}`, 1 + number]));
    await addMisses(database.client, { counts: many, day: today });
    await addMisses(database.client, {
      counts: new Map([
        ["new", 1],
        ["q0", 10],
      ]),
      day: today,
    });
    const full = new Map((await stored()) as [string, number][]);
    expect([full.size, full.get("new"), full.get("q0")]).toEqual([maxStoredCount, undefined, 11]);
    const before = new Date(today.getTime() - 1_000);
    expect(await pruneMisses(database.client, { before })).toBe(maxStoredCount - keptCount);
    expect((await stored())[0]).toEqual([`q${maxStoredCount - 1}`, maxStoredCount]);
    expect(await pruneMisses(database.client, { before: new Date(today.getTime() + 86_400_000) })).toBe(keptCount);
  });

  it("are counted together by several instances", async () => {
    const counts = new Map([
      ["a", 1],
      ["b", 2],
    ]);
    await Promise.all(Array.from({ length: 8 }, () => addMisses(database.client, { counts, day: today })));
    expect(await stored()).toEqual([
      ["b", 16],
      ["a", 8],
    ]);
  });
});
