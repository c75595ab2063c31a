import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import { feedQuerySchema, feedSchema, listFeed } from "#lib/tracking/feed/index";
import { outcomeOf } from "#tests/support/call-tool";
import { callerOf } from "#tests/support/callers";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, addVersion, clockAtNow, daysAgo, now, type VendorRow } from "#tests/support/vendor-rows";

const fixture = vendorDatabase();

async function read(caller: Caller, query: Record<string, string> = {}) {
  const context = { database: fixture.client, caller, clock: clockAtNow };
  const feed = await listFeed(context, { query: feedQuerySchema.parse(query) });
  expect(feedSchema.strict().parse(feed)).toEqual(feed);
  return { ...feed, slugs: feed.feed.map(({ vendor }) => vendor.slug) };
}

async function addFetched(slug: string, at: Date, row: VendorRow = {}): Promise<string> {
  await addVendor(fixture.client, { slug, at: daysAgo(400), isPublic: true, ...row });
  return (await addVersion(fixture.client, slug, `# ${slug}\n`, at)).snapshotId;
}

describe("a feed entry", () => {
  test("has the vendor, its latest snapshot and its latest change", async () => {
    await addFetched("quarrydb", daysAgo(2), { name: "QuarryDB", domain: "quarrydb.example", category: "ai-platform" });
    await addVersion(fixture.client, "quarrydb", "# quarrydb\n[a](https://quarrydb.example/a)\n", daysAgo(1));
    const { feed } = await read(callerOf("starter"));
    expect(feed).toEqual([
      {
        vendor: { name: "QuarryDB", slug: "quarrydb", domain: "quarrydb.example", category: "ai-platform" },
        latest: {
          content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          byte_size: 43,
          line_count: 2,
          link_count: 1,
          fetched_at: daysAgo(1).toISOString(),
        },
        recent_change: { lines_added: 1, lines_removed: 0, detected_at: daysAgo(1).toISOString() },
        diff_content: {
          lines_added: 1,
          lines_removed: 0,
          created_at: daysAgo(1).toISOString(),
          diff_text: expect.stringContaining("+[a](https://quarrydb.example/a)\n"),
        },
      },
    ]);
  });

  test("has no diff content on the free tier, and null on other tiers if there is none", async () => {
    await addFetched("first", daysAgo(1));
    await addVendor(fixture.client, { slug: "never", isPublic: true });
    const free = await read(anonymousCaller);
    expect(free.feed.map((entry) => "diff_content" in entry)).toEqual([false, false]);
    expect(free.feed.map(({ recent_change }) => recent_change)).toEqual([null, null]);
    const starter = await read(callerOf("starter"));
    expect(starter.feed.map(({ diff_content }) => diff_content)).toEqual([null, null]);
    expect(starter.feed.map(({ latest }) => latest === null)).toEqual([false, true]);
  });

  test("truncates a long diff", async () => {
    await addFetched("long", daysAgo(2));
    await addVersion(fixture.client, "long", "line\n".repeat(20_000), daysAgo(1));
    const [entry] = (await read(callerOf("starter"))).feed;
    expect(Buffer.byteLength(entry?.diff_content?.diff_text ?? "")).toBeLessThanOrEqual(64 * 1024);
  });

  test.each([
    ["free", 7, anonymousCaller],
    ["starter", 90, callerOf("starter")],
    ["pro", 365, callerOf("pro")],
  ] as const)("shows the %s tier a change of %i days ago, and none before", async (_tier, days, caller) => {
    await addFetched("edge", daysAgo(days + 2));
    await addFetched("before", daysAgo(days + 2));
    await addVersion(fixture.client, "edge", "changed\n", daysAgo(days));
    await addVersion(fixture.client, "before", "changed\n", new Date(daysAgo(days).getTime() - 1));
    const { feed, slugs } = await read(caller);
    expect([slugs, feed.map(({ recent_change }) => recent_change !== null)]).toEqual([
      ["edge", "before"],
      [true, false],
    ]);
    if (caller !== anonymousCaller)
      expect(feed.map(({ diff_content }) => diff_content?.lines_added)).toEqual([1, undefined]);
    expect(feed[1]?.latest).not.toBeNull();
  });

  test("exists for a vendor of any status", async () => {
    for (const status of ["active", "paused", "unreachable"] as const) await addFetched(status, daysAgo(1), { status });
    expect((await read(anonymousCaller)).slugs.sort()).toEqual(["active", "paused", "unreachable"]);
  });
});

describe("the vendors of a tier", () => {
  const own = randomUUID();
  const foreign = randomUUID();
  beforeEach(async () => {
    await fixture.client.account.deleteMany();
    for (const id of [own, foreign]) await fixture.client.account.create({ data: { id, tier: "pro" } });
    await addVendor(fixture.client, { slug: "a-public", isPublic: true });
    await addVendor(fixture.client, { slug: "b-other" });
    await addVendor(fixture.client, { slug: "c-own", accountId: own });
    await addVendor(fixture.client, { slug: "d-foreign", accountId: foreign });
    await addVendor(fixture.client, { slug: "e-foreign-public", accountId: foreign, isPublic: true });
  });

  test.each([
    ["free: the public vendors", anonymousCaller, "free", ["a-public"]],
    ["starter: all but those of accounts", callerOf("starter", own), "starter", ["a-public", "b-other"]],
    ["pro: its account's too", callerOf("pro", own), "pro", ["a-public", "b-other", "c-own"]],
    ["enterprise_plus: as pro", callerOf("enterprise_plus", own), "pro", ["a-public", "b-other", "c-own"]],
  ] as const)("%s", async (_name, caller, tier, slugs) => {
    const answer = await read(caller);
    expect(answer.slugs).toEqual(slugs);
    expect(answer._meta).toMatchObject({ tier, vendor_count: slugs.length, count: slugs.length, has_more: false });
    const foreignOnes = await read(caller, { vendor: "d-foreign" });
    expect([foreignOnes.slugs, foreignOnes._meta.vendor_count]).toEqual([[], 0]);
  });
});

describe("the order of the feed", () => {
  test("is by snapshot id, newest first, then by slug for vendors without a snapshot", async () => {
    await addFetched("b", daysAgo(3));
    await addFetched("a", daysAgo(1));
    await addFetched("c", daysAgo(2));
    await addVendor(fixture.client, { slug: "z", isPublic: true, at: daysAgo(9) });
    await addVendor(fixture.client, { slug: "y", isPublic: true, at: daysAgo(8) });
    expect((await read(anonymousCaller)).slugs).toEqual(["a", "c", "b", "y", "z"]);
    // A fetch without changes updates a snapshot's time but not its position.
    await fixture.client.snapshot.updateMany({ where: { vendor: { slug: "b" } }, data: { fetchedAt: now } });
    expect((await read(anonymousCaller)).slugs).toEqual(["a", "c", "b", "y", "z"]);
  });

  test("keeps a cursor valid if its snapshot was superseded, pruned, or deleted with its vendor", async () => {
    await addFetched("b", daysAgo(3));
    const cursor = await addFetched("a", daysAgo(2));
    await addVersion(fixture.client, "a", "new\n", daysAgo(1));
    expect((await read(anonymousCaller, { cursor })).slugs).toEqual(["b"]);
    await fixture.client.snapshot.delete({ where: { id: cursor } });
    expect((await read(anonymousCaller, { cursor: cursor.toUpperCase() })).slugs).toEqual(["b"]);
    await fixture.client.vendor.delete({ where: { slug: "a" } });
    expect((await read(anonymousCaller, { cursor })).slugs).toEqual(["b"]);
  });

  test("keeps the cursor of a vendor without a snapshot valid if it is fetched later", async () => {
    await addFetched("a", daysAgo(2));
    const { id: cursor } = await addVendor(fixture.client, { slug: "y", isPublic: true });
    await addVendor(fixture.client, { slug: "z", isPublic: true });
    await addVersion(fixture.client, "y", "new\n", daysAgo(1));
    expect((await read(anonymousCaller, { cursor })).slugs).toEqual(["z"]);
  });
});

describe("the filters", () => {
  beforeEach(async () => {
    await addFetched("old", daysAgo(3));
    await addFetched("new", daysAgo(1));
    await addVendor(fixture.client, { slug: "never", isPublic: true });
  });

  test("select one vendor, and nothing for an unknown slug", async () => {
    const one = await read(anonymousCaller, { vendor: "old" });
    expect([one.slugs, one._meta.vendor_count, one._meta.updated_at]).toEqual([["old"], 1, daysAgo(3).toISOString()]);
    expect((await read(anonymousCaller, { vendor: "never" })).slugs).toEqual(["never"]);
    const none = await read(anonymousCaller, { vendor: "Ölwerk'; --" });
    expect([none.slugs, none._meta.vendor_count]).toEqual([[], 0]);
  });

  test("select vendors fetched after a time, changed or not", async () => {
    const slugsSince = async (since: Date) => (await read(anonymousCaller, { since: since.toISOString() })).slugs;
    expect(await slugsSince(daysAgo(2))).toEqual(["new"]);
    expect(await slugsSince(new Date(daysAgo(1).getTime() - 1))).toEqual(["new"]);
    expect(await slugsSince(daysAgo(1))).toEqual([]);
    const refetched = { where: { slug: "old" }, data: { lastFetchedAt: now } };
    await fixture.client.vendor.update(refetched);
    expect(await slugsSince(daysAgo(2))).toEqual(["new", "old"]);
    const one = await read(anonymousCaller, { since: daysAgo(2).toISOString(), vendor: "new" });
    expect([one.slugs, one._meta.vendor_count]).toEqual([["new"], 1]);
  });

  test("accept time offsets, and times out of the database's range", async () => {
    expect((await read(anonymousCaller, { since: "2026-11-20T15:00:00+03:00" })).slugs).toEqual([]);
    expect((await read(anonymousCaller, { since: "2026-11-20T14:59:59+03:00" })).slugs).toEqual(["new"]);
    expect((await read(anonymousCaller, { since: "0000-01-01T00:00:00+14:00" })).slugs).toEqual(["new", "old"]);
    expect((await read(anonymousCaller, { since: "9999-12-31T23:59:59-14:00" })).slugs).toEqual([]);
  });

  test("are rejected if malformed, the cursor with its own error code", async () => {
    for (const cursor of ["", "1", "019aa4f2", "019aa4f2-6c40-7000-8000-4d0f5b1e2c3g", "null"])
      expect([cursor, await outcomeOf(read(anonymousCaller, { cursor }))]).toEqual([
        ...[cursor, expect.stringMatching(/^invalid_cursor: /)],
      ]);
    const wrong: Record<string, string>[] = [
      ...["", "0", "101", "-1", "1.5", "1e1", " 5", "0x10"].map((limit) => ({ limit })),
      ...["", "yesterday", "2026-11-21", "2026-11-21T09:30:00", "2026-02-30T00:00:00Z"].map((since) => ({ since })),
      { vendor: "a\0b" },
    ];
    for (const query of wrong) expect([query, feedQuerySchema.safeParse(query).success]).toEqual([query, false]);
    for (const limit of ["1", "100"]) expect(feedQuerySchema.parse({ limit }).limit).toBe(Number(limit));
    expect(feedQuerySchema.parse({}).limit).toBe(50);
  });
});

describe("updated_at", () => {
  test("is the newest fetch among the vendors visible to the tier, on every page", async () => {
    await addFetched("old", daysAgo(3));
    await addFetched("new", daysAgo(1));
    await addFetched("hidden", now, { isPublic: false });
    expect((await read(anonymousCaller))._meta.updated_at).toBe(daysAgo(1).toISOString());
    const second = await read(anonymousCaller, {
      limit: "1",
      cursor: (await read(anonymousCaller, { limit: "1" }))._meta.next_cursor ?? "",
    });
    expect([second.slugs, second._meta.updated_at]).toEqual([["old"], daysAgo(1).toISOString()]);
    expect((await read(callerOf("starter")))._meta.updated_at).toBe(now.toISOString());
  });

  test("does not depend on `since`, and is 1970 before the first fetch", async () => {
    await addVendor(fixture.client, { slug: "never", isPublic: true });
    const updatedAt = async (query = {}) => (await read(anonymousCaller, query))._meta.updated_at;
    expect(await updatedAt()).toBe("1970-01-01T00:00:00.000Z");
    await addFetched("old", daysAgo(3));
    const { slugs, _meta } = await read(anonymousCaller, { since: daysAgo(1).toISOString() });
    expect([slugs, _meta.vendor_count, _meta.updated_at]).toEqual([[], 0, daysAgo(3).toISOString()]);
    expect(await updatedAt({ vendor: "never" })).toBe("1970-01-01T00:00:00.000Z");
  });
});
