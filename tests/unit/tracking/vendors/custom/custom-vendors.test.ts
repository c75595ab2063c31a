import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AccountTier } from "#lib/accounts/plans/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { checkPublicUrl } from "#lib/platform/outbound/index";
import { findDueIds, isFollower } from "#lib/tracking/index";
import { insertReport } from "#lib/tracking/intelligence/store";
import { expectFetch } from "#lib/tracking/vendors/custom/custom-vendors";
import {
  addVendorBodySchema,
  customVendorListSchema,
  maxAddedPerMinute,
  maxCustomCount,
  vendorAdditionSchema,
} from "#lib/tracking/vendors/custom/schemas";
import { addCustomVendor, listCustomVendors, removeCustomVendor, renameVendor } from "#lib/tracking/vendors/index";
import { outcomeOf } from "#tests/support/call-tool";
import { callerOf } from "#tests/support/callers";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, addVersion, reportRow } from "#tests/support/vendor-rows";

const fixture = vendorDatabase();
const start = new Date("2026-11-21T09:00:00Z");
let now = start;
beforeEach(async () => {
  now = start;
  await fixture.client.limitWindow.deleteMany();
  await fixture.client.account.updateMany({ data: { tier: "pro" } });
});

const clock = { ...systemClock, now: () => now };
const check = async (url: string) => new URL(url);
const contextOf = (accountId = fixture.accountId, tier: AccountTier = "pro") => {
  return { caller: callerOf(tier, accountId), clock, ids: systemIds, database: fixture.client };
};
type Body = { url: string; name?: string; category?: "cloud" };
const add = (body: Body, context = contextOf(), options: Parameters<typeof addCustomVendor>[2] = { check }) =>
  addCustomVendor(context, { body: addVendorBodySchema.parse(body) }, options);
const otherAccount = async () => (await fixture.client.account.create({ data: { id: randomUUID(), tier: "pro" } })).id;
const url = "https://docs.acme.example/llms.txt";
const rowOf = (slug: string) => fixture.client.vendor.findUniqueOrThrow({ where: { slug } });

describe("adding a vendor", () => {
  it("stores it for the account, due at once, and returns it in the contract's shape", async () => {
    const { addition, isNew } = await add({ url: `${url}#top`, name: " Äcme Docs ", category: "cloud" });
    expect(vendorAdditionSchema.strict().parse(addition)).toEqual({
      vendor: {
        name: "Äcme Docs",
        slug: expect.stringMatching(/^acme-docs-[0-9a-f]{8}$/),
        domain: "docs.acme.example",
        category: "cloud",
        status: "active",
        llms_txt_url: url,
        llms_full_txt_url: null,
      },
      fetch: { at: null, note: expect.stringContaining("No worker runs") },
    });
    expect(isNew).toBe(true);
    const row = await rowOf(addition.vendor.slug);
    expect(row).toMatchObject({ accountId: fixture.accountId, origin: "account", isPublic: false, nextFetchAt: now });
    expect(await findDueIds(fixture.client, now, 10)).toEqual([row.id]);
  });

  it("uses the host as the name, and a default category", async () => {
    const { vendor } = (await add({ url: "http://docs.acme.example:8080/a.md" })).addition;
    expect(vendor).toMatchObject({ name: "docs.acme.example:8080", category: "developer-tools" });
    expect(vendor.slug).toMatch(/^docs-acme-example-8080-[0-9a-f]{8}$/);
  });

  it("gives every account another slug, which says nothing about others", async () => {
    const slugs = [];
    for (const accountId of [fixture.accountId, await otherAccount(), await otherAccount()])
      slugs.push((await add({ url, name: "Acme" }, contextOf(accountId))).addition.vendor.slug);
    expect(new Set(slugs).size).toBe(3);
    for (const slug of slugs) expect(slug).toMatch(/^acme-[0-9a-f]{8}$/);
  });

  it("returns the account's vendor of the same URL, even if many requests race", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => add({ url })));
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(answers.map(({ addition }) => addition.vendor.slug)).size).toBe(1);
    expect(await fixture.client.vendor.count()).toBe(1);
  });

  it("returns a vendor of the URL that everybody sees, unless it is paused", async () => {
    const open = await addVendor(fixture.client, { llmsTxtUrl: url });
    expect(await add({ url })).toMatchObject({ addition: { vendor: { slug: open.slug } }, isNew: false });
    await fixture.client.vendor.updateMany({ data: { status: "paused" } });
    expect((await add({ url })).isNew).toBe(true);
  });

  it("is refused for a private address, by the guard's rules", async () => {
    const asked = add({ url: "http://127.0.0.1/llms.txt" }, contextOf(), { check: checkPublicUrl });
    expect(await outcomeOf(asked)).toMatch(/^bad_request: Body field "url": /);
    expect(await fixture.client.vendor.count()).toBe(0);
  });

  it("is refused below the tier pro, also if the tier ends meanwhile", async () => {
    expect(await outcomeOf(add({ url }, contextOf(fixture.accountId, "starter")))).toMatch(/^forbidden: /);
    await fixture.client.account.updateMany({ data: { tier: "free" } });
    expect(await outcomeOf(add({ url }))).toMatch(/^forbidden: /);
  });

  it(`stops at ${maxCustomCount} vendors: of two requests at ${maxCustomCount - 1}, one is accepted`, async () => {
    const rows = Array.from({ length: maxCustomCount - 1 }, () => ({ accountId: fixture.accountId }));
    for (const row of rows) await addVendor(fixture.client, row);
    const answers = await Promise.all(
      ["a", "b"].map((path) => outcomeOf(add({ url: `https://acme.example/${path}` }))),
    );
    expect(answers.filter((answer) => answer === "accepted")).toHaveLength(1);
    expect(answers.find((answer) => answer !== "accepted")).toMatch(/^conflict: .*already has 50 vendors/);
    expect(await fixture.client.vendor.count()).toBe(maxCustomCount);
    // Those that it has already are still answered.
    const [known] = (await listCustomVendors(contextOf())).vendors;
    expect((await add({ url: known?.llms_txt_url as string })).isNew).toBe(false);
  });

  it(`is limited to ${maxAddedPerMinute} a minute`, async () => {
    for (let index = 0; index < maxAddedPerMinute; index++) await add({ url: `https://acme.example/${index}` });
    expect(await outcomeOf(add({ url }))).toMatch(/^rate_limited: .*Try again in 60 s/);
    expect((await add({ url: "https://acme.example/0" })).isNew).toBe(false);
    expect(await outcomeOf(add({ url }, contextOf(await otherAccount())))).toBe("accepted");
    now = new Date(start.getTime() + 60_000);
    expect(await outcomeOf(add({ url }))).toBe("accepted");
  });
});

describe("the time of the next fetch", () => {
  const hourMs = 3_600_000;
  const elsewhere = { VENDOR_FETCHING: undefined, VERCEL: undefined, CRON_SECRET: undefined };
  const vendor = { status: "active", origin: "account", nextFetchAt: start } as const;
  type Given = [Date, Partial<Parameters<typeof expectFetch>[1]>?, Parameters<typeof expectFetch>[2]?];
  const at = (...[date, changes, settings = elsewhere]: Given) => {
    now = date;
    return expectFetch({ database: fixture.client, clock }, { ...vendor, ...changes }, settings);
  };
  const addRun = (summary: Record<string, number>) =>
    fixture.client.cronRun.create({
      data: { id: systemIds.next(), job: "fetch-vendors", status: "completed", startedAt: start, summary },
    });
  afterEach(() => fixture.client.cronRun.deleteMany());

  it("is now, or when it is due, where a worker has run in the last hour", async () => {
    await addRun({ fetched: 1, left: 0 });
    const hourLater = new Date(start.getTime() + hourMs);
    expect((await at(hourLater)).at).toBe(hourLater.toISOString());
    const due = new Date(start.getTime() + 5 * hourMs);
    expect((await at(hourLater, { nextFetchAt: due })).at).toBe(due.toISOString());
    expect((await at(new Date(start.getTime() + 2 * hourMs))).at).toBeNull();
  });

  it("does not count vendors that were fetched by hand as a worker", async () => {
    await addRun({ fetched: 1 });
    expect((await at(start)).at).toBeNull();
    await addRun({ fetched: 0, left: 0 });
    await addRun({ fetched: 1 });
    expect((await at(start)).at).toBe(start.toISOString());
  });

  it("is the next cron on Vercel, if its requests have a secret", async () => {
    const onVercel = { ...elsewhere, VERCEL: "1", CRON_SECRET: "secret" };
    const [before, after] = [new Date("2026-11-21T09:06:59Z"), new Date("2026-11-21T23:07:00Z")];
    expect((await at(before, {}, onVercel)).at).toBe("2026-11-21T09:07:00.000Z");
    expect((await at(after, {}, onVercel)).at).toBe("2026-11-22T00:07:00.000Z");
    expect((await at(before, { nextFetchAt: after }, onVercel)).at).toBe("2026-11-22T00:07:00.000Z");
    expect((await at(before, {}, { ...onVercel, CRON_SECRET: undefined })).at).toBeNull();
  });

  it("is not given where fetching is off, nor for a vendor that is not fetched, and the note says why", async () => {
    await addRun({ fetched: 1, left: 0 });
    const off = { ...elsewhere, VENDOR_FETCHING: "off" } as const;
    const note = "Fetching is off on this server, until its operator turns it on.";
    expect(await at(start, {}, off)).toEqual({ at: null, note });
    expect(await at(start, { status: "paused" })).toEqual({ at: null, note: expect.stringContaining("It is paused") });
    expect(await at(start, { origin: "sample" })).toEqual({ at: null, note: expect.stringContaining("sample") });
  });

  it("is not given while an operator has paused the queue, nor then on Vercel", async () => {
    await addRun({ fetched: 1, left: 0 });
    await fixture.client.pausedQueue.create({ data: { name: "fetch", pausedAt: start } });
    const note = expect.stringMatching(/^Fetching is paused on this server/);
    expect(await at(start)).toEqual({ at: null, note });
    expect(await at(start, {}, { ...elsewhere, VERCEL: "1", CRON_SECRET: "secret" })).toEqual({ at: null, note });
    await fixture.client.pausedQueue.deleteMany();
    expect((await at(start)).at).toBe(start.toISOString());
  });

  it("is given as well for a URL that is tracked already, and only if somebody fetches it", async () => {
    await add({ url });
    const repeated = async () => (await add({ url })).addition.fetch;
    expect(await repeated()).toEqual({
      at: null,
      note: expect.stringMatching(/^The URL is tracked already\. No worker/),
    });
    await addRun({ fetched: 1, left: 0 });
    expect((await repeated()).at).toBe(start.toISOString());
  });
});

describe("an account's vendors", () => {
  it("are listed newest first, with the failure of the last fetch", async () => {
    const first = (await add({ url })).addition.vendor;
    const second = (await add({ url: "https://acme.example/b" })).addition.vendor;
    const { id: vendorId } = await rowOf(first.slug);
    const fetch = { id: systemIds.next(), vendorId, createdAt: now, outcome: "failed", requestCount: 1 } as const;
    await fixture.client.fetch.create({ data: { ...fetch, failure: "http_404" } });
    const listed = customVendorListSchema.strict().parse(await listCustomVendors(contextOf()));
    expect(listed).toMatchObject({ count: 2, limit: 50 });
    expect(listed.vendors.map(({ slug, failure }) => [slug, failure])).toEqual([
      [second.slug, null],
      [first.slug, "http_404"],
    ]);
    expect((await listCustomVendors(contextOf(await otherAccount()))).count).toBe(0);
  });

  it("are listed with their latest change, and with its report once there is one", async () => {
    const { slug } = (await add({ url })).addition.vendor;
    const latest = async () => (await listCustomVendors(contextOf())).vendors[0]?.latest_change;
    await addVersion(fixture.client, slug, "# One\n");
    expect(await latest()).toBeNull();
    await addVersion(fixture.client, slug, "# One\n\nTwo\n");
    const { id, vendorId, currentSnapshotId, createdAt } = await fixture.client.diff.findFirstOrThrow();
    const counted = { id, created_at: createdAt.toISOString(), lines_added: 2, lines_removed: 0 };
    expect(await latest()).toEqual({ ...counted, summary: null, significance: null });
    const report = { vendorId, diffId: id, snapshotId: currentSnapshotId, summary: "Adds a line.", significance: 2 };
    await insertReport(fixture.client, reportRow({ ...report, createdAt: now }));
    expect(await latest()).toEqual({ ...counted, summary: "Adds a line.", significance: 2 });
  });

  it("are renamed by their account alone, and keep their slug", async () => {
    const { vendor } = (await add({ url, name: "Acme" })).addition;
    const open = await addVendor(fixture.client);
    const rename = (slug: string, accountId?: string) =>
      renameVendor(contextOf(accountId), { params: { slug }, body: { name: "Bolt" } });
    expect(await outcomeOf(rename(vendor.slug, await otherAccount()))).toMatch(/^not_found: /);
    for (const slug of [open.slug, "nobody"]) expect(await outcomeOf(rename(slug))).toMatch(/^not_found: /);
    expect(await rename(vendor.slug)).toEqual({ vendor: { ...vendor, name: "Bolt" } });
    expect((await rowOf(vendor.slug)).name).toBe("Bolt");
    expect((await rowOf(open.slug)).name).toBe(open.name);
  });

  it("are removed by their account alone, with their history", async () => {
    const { slug } = (await add({ url })).addition.vendor;
    await addVersion(fixture.client, slug, "a\n");
    const open = await addVendor(fixture.client);
    const remove = (wanted: string, accountId?: string) =>
      outcomeOf(removeCustomVendor(contextOf(accountId), { params: { slug: wanted } }));
    for (const wrong of [remove(slug, await otherAccount()), remove(open.slug), remove("nobody")])
      expect(await wrong).toMatch(/^not_found: /);
    expect(await remove(slug)).toBe("accepted");
    expect(await remove(slug)).toMatch(/^not_found: /);
    expect([await fixture.client.vendor.count(), await fixture.client.snapshot.count()]).toEqual([1, 0]);
  });
});

describe("vendors of one URL", () => {
  it("are due once: the one that everybody sees, or else the first that was added", async () => {
    const slugs = [];
    for (const accountId of [fixture.accountId, await otherAccount()])
      slugs.push((await add({ url }, contextOf(accountId))).addition.vendor.slug);
    const [first, second] = await Promise.all(slugs.map(rowOf));
    expect(await findDueIds(fixture.client, now, 10)).toEqual([first?.id]);
    await fixture.client.vendor.updateMany({ where: { id: first?.id as string }, data: { status: "paused" } });
    expect(await findDueIds(fixture.client, now, 10)).toEqual([second?.id]);
    const open = await addVendor(fixture.client, { llmsTxtUrl: url, at: now });
    expect(await findDueIds(fixture.client, now, 10)).toEqual([open.id]);
  });

  it("make the one due that is fetched, when one is added", async () => {
    const first = (await add({ url })).addition.vendor;
    const later = new Date(now.getTime() + 3_600_000);
    await fixture.client.vendor.updateMany({ data: { nextFetchAt: later } });
    expect(await findDueIds(fixture.client, now, 10)).toEqual([]);
    await add({ url }, contextOf(await otherAccount()));
    expect(await findDueIds(fixture.client, now, 10)).toEqual([(await rowOf(first.slug)).id]);
  });

  it("are found by an index", async () => {
    await fixture.client.$executeRaw`
      INSERT INTO vendors (id, slug, name, domain, category, origin, next_fetch_at, llms_txt_url, account_id)
      SELECT gen_random_uuid(), n, n, 'a.example', 'cloud', 'operator', ${now}, 'https://a.example/' || n,
        ${fixture.accountId}::uuid
      FROM (SELECT generate_series(1, 3000)::text AS n) AS numbers`;
    await fixture.client.$executeRawUnsafe("ANALYZE vendors");
    const plan = await fixture.client.$queryRawUnsafe<{ "QUERY PLAN": string }[]>(
      `EXPLAIN SELECT v.id FROM vendors v WHERE v.status IN ('active', 'unreachable') AND v.next_fetch_at <= now()
        AND NOT ${isFollower} ORDER BY v.next_fetch_at LIMIT 10`,
    );
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toContain("vendors_llms_txt_url_idx");
  });
});
