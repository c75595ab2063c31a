import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { pruneSnapshots } from "#lib/tracking/snapshots/index";
import { getStats, getVendorFacts } from "#lib/tracking/vendors/index";
import { statsSchema } from "#lib/tracking/vendors/schemas";
import { callerOf } from "#tests/support/callers";
import { databaseOfTest } from "#tests/support/shared-database";
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

const database = databaseOfTest();

const read = async (caller = anonymousCaller) =>
  statsSchema.strict().parse(await getStats({ caller, database: database.client }));

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
    expect(await getVendorFacts({ database: client })).toEqual({
      unfetched: 1,
      samples: 1,
      publicCount: 1,
      lastFetchedAt: null,
    });
  });

  test("follow what is stored, pruned and deleted", async () => {
    const { client } = database;
    const account = await client.account.create({ data: { id: randomUUID(), tier: "pro" } });
    await addVendor(client, { slug: "own", accountId: account.id });
    await addVersion(client, "own", "1\n");
    for (const slug of ["a", "b"]) {
      await addVendor(client, { slug });
      for (const day of [1, 2, 3, 4])
        await addVersion(client, slug, "x".repeat(day), new Date(Date.UTC(2026, 10, day)));
    }
    const counted = async (caller = anonymousCaller) => {
      const { snapshots, diffs, total_bytes_tracked: bytes } = await read(caller);
      return [snapshots, diffs, bytes];
    };
    expect(await counted()).toEqual([8, 6, 20]);
    expect(await counted(callerOf("pro", account.id))).toEqual([9, 6, 22]);
    await pruneSnapshots(client, { before: new Date(Date.UTC(2026, 10, 4)), limit: 3 });
    expect([await client.snapshot.count(), await client.diff.count()]).toEqual([6, 3]);
    expect((await counted(callerOf("pro", account.id))).slice(0, 2)).toEqual([6, 3]);
    await client.vendor.delete({ where: { slug: "a" } });
    await client.vendor.delete({ where: { slug: "own" } });
    expect(await counted()).toEqual([
      await client.snapshot.count(),
      await client.diff.count(),
      (await client.snapshot.aggregate({ _sum: { byteSize: true } }))._sum.byteSize,
    ]);
  });
});
