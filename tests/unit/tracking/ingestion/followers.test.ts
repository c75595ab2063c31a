import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lowestId } from "#lib/platform/ids";
import { findFollowers } from "#lib/tracking/ingestion/index";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";
import { createTracker, hourMs } from "#tests/support/tracker";
import { status } from "#tests/support/vendor-answers";
import { addVendor } from "#tests/support/vendor-rows";

let database: TestDatabase;
let testVendors: TestVendors;
let tracker: Awaited<ReturnType<typeof createTracker>>;
beforeEach(async () => {
  database = await createTestDatabase();
  testVendors = await startTestVendors({ vendorCount: 1 });
  tracker = await createTracker(database.client, testVendors);
});
afterEach(async () => {
  await testVendors.close();
  await database.drop();
});

const leader = () => testVendors.vendors[0]?.slug as string;

/** Adds vendors of the leader's URL, each of another account. */
async function addFollowers(...slugs: string[]) {
  const { llmsTxtUrl, domain } = await tracker.vendor(leader());
  for (const slug of slugs) {
    const accountId = (await database.client.account.create({ data: { id: randomUUID(), tier: "pro" } })).id;
    await addVendor(database.client, { slug, accountId, llmsTxtUrl, domain, at: tracker.clock.now() });
  }
}
/** Makes the vendor due that is fetched, as the addition of another one does. */
const makeDue = () =>
  database.client.vendor.update({ where: { slug: leader() }, data: { nextFetchAt: tracker.clock.now() } });

async function runLater() {
  tracker.pass(49 * hourMs);
  testVendors.clearRequests();
  return tracker.run();
}

describe("accounts' vendors with the URL of another vendor", () => {
  it("get each version from one request, with one content, and histories of their own", async () => {
    await addFollowers("one", "two");
    expect(await tracker.run()).toMatchObject({ fetched: 1, changed: 1 });
    expect(testVendors.requestsOf(leader()).filter(({ path }) => path !== "/robots.txt")).toHaveLength(1);
    testVendors.setVersion(leader(), 2);
    expect(await runLater()).toMatchObject({ fetched: 1, changed: 1 });
    const vendors = await Promise.all([leader(), "one", "two"].map(tracker.vendor));
    for (const { snapshots, diffs, fetches, status: state } of vendors) {
      expect([snapshots.length, diffs.length, state]).toEqual([2, 1, "active"]);
      expect(fetches.map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
      expect(diffs[0]?.previousSnapshotId).toBe(snapshots[0]?.id);
    }
    expect(new Set(vendors.map(({ latestSnapshotId }) => latestSnapshotId)).size).toBe(3);
    expect(new Set(vendors.map(({ nextFetchAt }) => nextFetchAt.getTime())).size).toBe(1);
    expect(await database.client.content.count()).toBe(2);
    const topics = (await database.client.notification.findMany()).map(({ topic }) => topic);
    expect(new Set(topics)).toEqual(new Set([leader(), "one", "two"].map((slug) => `vendors/${slug}`)));
  });

  it("get their versions together, in few statements", async () => {
    const slugs = Array.from({ length: 20 }, (_, index) => `follower-${index}`);
    await addFollowers(...slugs);
    await tracker.run();
    testVendors.setVersion(leader(), 2);
    await runLater();
    for (const { diffs, snapshots } of await Promise.all(slugs.map(tracker.vendor)))
      expect(diffs).toMatchObject([{ linesAdded: 1, previousSnapshotId: snapshots[0]?.id }]);
    // Rows of one statement have the same transaction.
    const [row] = await database.client.$queryRaw<{ fetches: number; transactions: number }[]>`
      SELECT count(*)::int AS fetches, count(DISTINCT xmin::text)::int AS transactions FROM fetches`;
    expect(row?.fetches).toBe(42);
    expect(row?.transactions).toBeLessThan(21);
  });

  it("are read without what only the vendor that leads them needs of its own followers", async () => {
    await addFollowers("one", "two");
    const { id, llmsTxtUrl } = await tracker.vendor(leader());
    const found = await findFollowers(database.client, { id, llmsTxtUrl, reader: "llms_txt" }, lowestId);
    expect(found.map(({ slug, followersAreCurrent }) => [slug, followersAreCurrent])).toEqual([
      ["one", null],
      ["two", null],
    ]);
  });

  it("that are added later get the content at the next fetch, and no history from before", async () => {
    await tracker.run();
    testVendors.setVersion(leader(), 2);
    await runLater();
    await addFollowers("late");
    await makeDue();
    testVendors.clearRequests();
    expect(await tracker.run()).toMatchObject({ fetched: 1, unchanged: 1 });
    const [request] = testVendors.requestsOf(leader()).filter(({ path }) => path !== "/robots.txt");
    expect(request?.headers["if-none-match"]).toBeUndefined();
    const { snapshots, diffs, latestSnapshotId } = await tracker.vendor("late");
    expect([snapshots.length, diffs.length, latestSnapshotId]).toEqual([1, 0, snapshots[0]?.id]);
    expect((await tracker.vendor(leader())).snapshots).toHaveLength(2);
  });

  it("let the request be conditional once all have the content", async () => {
    await addFollowers("one");
    await tracker.run();
    await runLater();
    const [request] = testVendors.requestsOf(leader()).filter(({ path }) => path !== "/robots.txt");
    expect(request?.headers["if-none-match"]).toBe('"v1"');
    for (const slug of [leader(), "one"])
      expect((await tracker.vendor(slug)).fetches.map(({ outcome }) => outcome)).toEqual(["changed", "not_modified"]);
  });

  it("share failures, and are left out while paused", async () => {
    await addFollowers("one", "asleep");
    await database.client.vendor.update({ where: { slug: "asleep" }, data: { status: "paused" } });
    testVendors.setAnswer(leader(), status(404));
    expect(await tracker.run()).toMatchObject({ failed: 1 });
    expect((await tracker.vendor("one")).fetches).toMatchObject([{ outcome: "failed", failure: "http_404" }]);
    expect((await tracker.vendor("one")).failureCount).toBe(1);
    expect((await tracker.vendor("asleep")).fetches).toEqual([]);
  });

  it("go on when the other vendor is paused or deleted", async () => {
    await addFollowers("one", "two");
    await tracker.run();
    await database.client.vendor.delete({ where: { slug: leader() } });
    testVendors.setVersion(leader(), 2);
    expect(await runLater()).toMatchObject({ fetched: 1, changed: 1 });
    for (const slug of ["one", "two"]) expect((await tracker.vendor(slug)).snapshots).toHaveLength(2);
  });
});
