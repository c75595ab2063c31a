import { beforeEach, describe, expect, it } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { maxMailsPerSender } from "#lib/accounts/limits/index";
import { dayMs } from "#lib/platform/time";
import {
  confirmDigest,
  createDigest,
  getConfirmation,
  getUnsubscription,
  reencryptContacts,
  unsubscribe,
} from "#lib/tracking/digests/index";
import { provided } from "#tests/support/provided";
import { testKeys } from "#tests/support/webhook-receivers";
import { createDigestFixture } from "./digest-fixture";

const fixture = provided(createDigestFixture);

let count = 0;
let address: string;
beforeEach(() => {
  count += 1;
  address = `follower-${count}@b.example`;
  // Each test has the mails of a day of its own.
  fixture.pass(dayMs);
});

const follow = (email: string, vendors: readonly string[], frequency: "each" | "daily" | "weekly" = "each") =>
  fixture.create(anonymousCaller, email, frequency, { vendors: [...vendors] });

/** The vendors of the fixture as a link's page shows them. */
const named = (...slugs: string[]) => slugs.map((slug) => ({ slug, name: `Vendor ${slug}` }));
const listsOf = () => fixture.client.digest.findMany({ where: { accountId: null, status: "active" } });
const form = (body: string) => Buffer.from(body);

describe("a list without an account", () => {
  it("names vendors, in the request, the mail and on the page of its link", async () => {
    const { create, tokenOf, context, server, vendor } = fixture;
    await expect(create(anonymousCaller, address)).rejects.toThrow('"filters.vendors": without an API key');
    const filters = { vendors: ["any"], min_significance: 5 };
    await expect(create(anonymousCaller, address, "each", filters)).rejects.toThrow('"vendors" is the only filter');
    await expect(follow(address, ["no-such-vendor"])).rejects.toThrow('there is no vendor "no-such-vendor"');
    const [own, { slug }] = [await vendor({ accountId: (await fixture.caller()).accountId }), await vendor()];
    await expect(follow(address, [own.slug])).rejects.toThrow("there is no vendor");
    expect(await follow(address, [slug])).toMatchObject({ status: "pending", filters: { vendors: [slug] } });
    expect(server.to(address).at(-1)?.text).toContain(`the changes of Vendor ${slug}, soon after`);
    const link = { query: { token: tokenOf(address, "confirm") } };
    const expected = { address, vendors: named(slug), hasAccount: false, isConfirmed: false };
    expect(await getConfirmation(context, link, testKeys)).toMatchObject(expected);
  });

  it("has what everyone may see: all reports of public vendors, and the newest one of others", async () => {
    const { confirm, vendor, report, run, server } = fixture;
    const [open, other] = [await vendor({ isPublic: true }), await vendor({ isPublic: false })];
    await follow(address, [open.slug, other.slug], "daily");
    await confirm(address);
    for (const one of [open, other])
      for (const summary of ["The first change.", "The second change."])
        await report(one, { summary: `${one.slug}: ${summary}` });
    await report(await vendor(), { summary: "Not followed." });
    fixture.passDay();
    await run();
    const { text = "" } = server.to(address).at(-1) ?? {};
    const summaries = text.split("\n").filter((line) => line.includes("change.") || line.includes("Not followed"));
    expect(summaries.sort()).toEqual(
      [
        `${open.slug}: The first change.`,
        `${open.slug}: The second change.`,
        `${other.slug}: The second change.`,
      ].sort(),
    );
    expect(text).toContain("because this address follows vendors at");
    expect(text).toContain("Change the list or unsubscribe: ");
  });

  it("is one of an address: confirming another one adds its vendors and takes its frequency", async () => {
    const { confirm, vendor, tokenOf, context } = fixture;
    const before = await listsOf();
    const [first, second] = [(await vendor()).slug, (await vendor()).slug];
    await follow(address, [first], "weekly");
    await confirm(address);
    const { nextDueAt } = (await listsOf()).at(-1) ?? {};
    await follow(address, [second, first], "weekly");
    await confirm(address);
    expect((await listsOf()).at(-1)).toMatchObject({ nextDueAt, filterVendors: [first, second] });
    await follow(address.toUpperCase(), [first], "daily");
    const shouted = address.toUpperCase().replace(/@.*/, (domain) => domain.toLowerCase());
    expect(await confirm(shouted)).toMatchObject({ address, vendors: named(first, second) });
    // A tag can be another person's where the mail server knows none.
    fixture.pass(dayMs);
    const tagged = address.replace("@", "+tag@");
    await follow(tagged, [second], "weekly");
    expect(await confirm(tagged)).toMatchObject({ vendors: named(second) });
    await fixture.client.digest.deleteMany({ where: { filterVendors: { equals: [second] } } });
    const lists = (await listsOf()).filter(({ id }) => before.every((one) => one.id !== id));
    expect(lists).toHaveLength(1);
    expect(lists[0]).toMatchObject({ frequency: "daily", filterVendors: [first, second] });
    // The link still says what it confirmed.
    const again = await getConfirmation(context, { query: { token: tokenOf(shouted, "confirm") } }, testKeys);
    expect(again).toMatchObject({ isConfirmed: true, vendors: named(first, second) });
  });

  it("of concurrent confirmations is one", async () => {
    const { vendor, context, tokenOf } = fixture;
    const before = (await listsOf()).length;
    const slugs: string[] = [];
    const tokens: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { slug } = await vendor();
      slugs.push(slug);
      await follow(address, [slug]);
      tokens.push(tokenOf(address, "confirm"));
    }
    await Promise.all(tokens.map((token) => confirmDigest(context, { query: { token } }, testKeys)));
    const lists = await listsOf();
    expect(lists).toHaveLength(before + 1);
    expect(lists.map(({ filterVendors }) => filterVendors.toSorted())).toContainEqual(slugs.toSorted());
  });

  it("is found with a new key after its contact was encrypted again", async () => {
    const { confirm, vendor, context } = fixture;
    const [first, second] = [(await vendor()).slug, (await vendor()).slug];
    await follow(address, [first]);
    await confirm(address);
    const keys = [Buffer.alloc(32, 9), ...testKeys];
    await reencryptContacts({ ...context, keys });
    const newKeys = { ...fixture.tools, keys: keys.slice(0, 1) };
    const body = { email: address, frequency: "each" as const, filters: { vendors: [second] } };
    await createDigest({ ...context, caller: anonymousCaller }, { body }, newKeys);
    const link = { query: { token: fixture.tokenOf(address, "confirm") } };
    expect(await confirmDigest(context, link, newKeys.keys)).toMatchObject({ vendors: named(first, second) });
    await fixture.client.digest.deleteMany();
  });

  it("has at most 50 vendors", async () => {
    const { confirm, vendor, context, tokenOf } = fixture;
    const slugs = await Promise.all(Array.from({ length: 51 }, async () => (await vendor()).slug));
    await follow(address, slugs.slice(0, 50));
    await confirm(address);
    await follow(address, slugs.slice(50));
    await expect(confirm(address)).rejects.toMatchObject({ code: "conflict" });
    const link = { query: { token: tokenOf(address, "confirm") } };
    expect(await getConfirmation(context, link, testKeys)).toMatchObject({ isConfirmed: false });
  });

  it("loses vendors by the form of its link, also those that wait, keeps those added since, and ends by the button", async () => {
    const { confirm, vendor, report, run, tokenOf, context, server, client } = fixture;
    const [kept, left, added] = [await vendor(), await vendor(), await vendor()];
    await follow(address, [kept.slug, left.slug]);
    const { listToken } = await confirm(address);
    await report(kept);
    await run();
    const link = { query: { token: tokenOf(address, "unsubscribe") } };
    expect(link.query.token).toBe(listToken);
    await report(left);
    await follow(address, [added.slug]);
    await confirm(address);
    const send = (body: string) => unsubscribe(context, { ...link, rawBody: form(body) }, testKeys);
    const listed = `listed=${kept.slug}&listed=${left.slug}`;
    const list = { address, vendors: named(kept.slug, added.slug) };
    expect(await send(`${listed}&keep=${kept.slug}&keep=another`)).toMatchObject(list);
    // A form that was opened before.
    expect(await send(`${listed}&keep=${kept.slug}&keep=${left.slug}`)).toMatchObject(list);
    await expect(send(`listed=${kept.slug}&listed=${added.slug}`)).rejects.toMatchObject({ code: "conflict" });
    expect(await getUnsubscription(context, link, testKeys)).toMatchObject(list);
    const mailCount = server.to(address).length;
    fixture.passDay();
    await run();
    expect(server.to(address)).toHaveLength(mailCount);
    expect(await unsubscribe(context, { ...link, rawBody: form("") }, testKeys)).toBeNull();
    const { id } = await client.vendor.findFirstOrThrow({ where: { slug: kept.slug }, select: { id: true } });
    await report({ id, slug: kept.slug });
    fixture.passDay();
    await run();
    expect(server.to(address)).toHaveLength(mailCount);
  });

  it("is asked for at most ten times a day from a network", async () => {
    const { slug } = await fixture.vendor();
    for (let index = 0; index < maxMailsPerSender; index += 1) await follow(`${index}-${address}`, [slug]);
    await expect(follow(`x-${address}`, [slug])).rejects.toMatchObject({ code: "rate_limited" });
    expect(await fixture.client.digest.count({ where: { status: "pending", accountId: null } })).toBeGreaterThan(0);
  });
});

it("of a key of the free tier, a digest that names vendors has what everyone may see of them", async () => {
  const { caller, subscribe, vendor, report, run, server } = fixture;
  const [named, other] = [await vendor({ isPublic: false }), await vendor({ isPublic: false })];
  await subscribe(await caller("free"), address, "each", { vendors: [named.slug] });
  for (const summary of ["An older change.", "The newest change."]) await report(named, { summary });
  await report(other, { summary: "Of another vendor." });
  await run();
  const { text = "" } = server.to(address).at(-1) ?? {};
  expect(text).toContain("The newest change.");
  expect(text).not.toMatch(/An older change|Of another vendor/);
});
