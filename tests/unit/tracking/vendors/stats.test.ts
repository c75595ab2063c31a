import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { getStats, getVendorFacts } from "#lib/tracking/vendors/index";
import { statsSchema } from "#lib/tracking/vendors/schemas";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";

const none = {
  category_breakdown: {
    "ai-platform": 0,
    "developer-tools": 0,
    database: 0,
    payments: 0,
    cloud: 0,
    "data-analytics": 0,
    integration: 0,
    security: 0,
  },
  status_breakdown: { active: 0, paused: 0, unreachable: 0 },
};

let database: TestDatabase;
let nowMs = 0;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const clock = { ...systemClock, monotonicMs: () => nowMs };
const read = async () =>
  statsSchema.strict().parse(await getStats({ caller: anonymousCaller, database: database.client, clock }));

describe("the statistics", () => {
  test("include every category and status without vendors", async () => {
    expect(await read()).toEqual({ vendors: 0, snapshots: 0, diffs: 0, total_bytes_tracked: 0, ...none });
  });

  test("count active vendors, and all snapshots, diffs and bytes, except those of accounts' vendors", async () => {
    const { client } = database;
    const account = await client.account.create({ data: { id: randomUUID(), tier: "pro" } });
    await addVendor(client, { slug: "a", category: "cloud" });
    await addVendor(client, { slug: "b", category: "cloud" });
    await addVendor(client, { slug: "c", category: "data-analytics" });
    await addVendor(client, { slug: "d", category: "security", status: "paused" });
    await addVendor(client, { slug: "e", category: "payments", status: "unreachable" });
    await addVendor(client, { slug: "f", category: "ai-platform", accountId: account.id });
    await addVersion(client, "a", "12345\n");
    await addVersion(client, "a", "12345\nä\n");
    await addVersion(client, "d", "1\n");
    await addVersion(client, "f", "1\n");
    await addVersion(client, "f", "2\n");
    expect(await read()).toEqual({
      vendors: 3,
      snapshots: 3,
      diffs: 1,
      total_bytes_tracked: 6 + 9 + 2,
      category_breakdown: { ...none.category_breakdown, cloud: 2, "data-analytics": 1 },
      status_breakdown: { active: 3, paused: 1, unreachable: 1 },
    });
  });

  test("come with the vendors that pages tell apart: not fetched yet, samples, and public ones", async () => {
    const { client } = database;
    await addVendor(client, { slug: "fetched", isPublic: true });
    await addVersion(client, "fetched", "1\n");
    await addVendor(client, { slug: "waiting" });
    await addVendor(client, { slug: "paused", status: "paused" });
    await client.vendor.update({ where: { slug: "fetched" }, data: { origin: "sample" } });
    expect(await getVendorFacts({ database: client, clock })).toEqual({
      unfetched: 1,
      samples: 1,
      publicCount: 1,
      lastFetchedAt: null,
    });
  });

  test("are counted once for concurrent callers, and again after ten seconds", async () => {
    const [first, second] = [read(), read()];
    await Promise.all([first, second]);
    await addVendor(database.client, { slug: "a" });
    nowMs += 9_999;
    expect((await read()).vendors).toBe(0);
    nowMs += 1;
    expect((await read()).vendors).toBe(1);
  });

  test("are not cached after a failure", async () => {
    await database.client.$executeRaw`ALTER TABLE diffs RENAME TO elsewhere`;
    await expect(read()).rejects.toThrow();
    await database.client.$executeRaw`ALTER TABLE elsewhere RENAME TO diffs`;
    expect((await read()).diffs).toBe(0);
  });
});
