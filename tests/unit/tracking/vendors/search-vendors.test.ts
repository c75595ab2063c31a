import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { searchVendors } from "#lib/tracking/vendors/index";
import { vendorSearchQuerySchema, vendorSearchSchema } from "#lib/tracking/vendors/schemas";
import { sharedDatabase } from "#tests/support/shared-database";
import { addVendor } from "#tests/support/vendor-rows";

const database = sharedDatabase();
beforeAll(async () => {
  const { client } = database;
  const account = await client.account.create({ data: { id: randomUUID(), tier: "pro" } });
  await addVendor(client, { slug: "quarrydb", name: "QuarryDB", domain: "quarry.example", category: "database" });
  await addVendor(client, { slug: "plotwell", name: "Plotwell", domain: "charts.example", category: "data-analytics" });
  await addVendor(client, { slug: "odd-100", name: "100%_\\ Odd", domain: "odd.example", category: "cloud" });
  await addVendor(client, { slug: "asleep", name: "Asleep", domain: "a.example", category: "cloud", status: "paused" });
  await addVendor(client, { slug: "lost", name: "Łost Ünit", domain: "l.example", status: "unreachable" });
  await addVendor(client, { slug: "quarry-own", name: "Quarry own", domain: "own.example", accountId: account.id });
});

async function search(given: Record<string, string> = {}) {
  const query = vendorSearchQuerySchema.parse(given);
  return vendorSearchSchema
    .strict()
    .parse(await searchVendors({ caller: anonymousCaller, database: database.client }, { query }));
}
const slugs = async (given: Record<string, string>) => (await search(given)).vendors.map(({ slug }) => slug);

describe("a search for vendors", () => {
  test("has the documented shape: at most 50 active vendors by slug, and the applied filters", async () => {
    expect(await search()).toEqual({
      _meta: { count: 3, filters: { q: null, category: null, status: "active", limit: 50, offset: 0 } },
      vendors: [
        { name: "100%_\\ Odd", slug: "odd-100", domain: "odd.example", category: "cloud", status: "active" },
        { name: "Plotwell", slug: "plotwell", domain: "charts.example", category: "data-analytics", status: "active" },
        { name: "QuarryDB", slug: "quarrydb", domain: "quarry.example", category: "database", status: "active" },
      ],
    });
    const filters = { q: "ODD", category: "cloud", status: "active", limit: "7", offset: "0" };
    expect((await search(filters))._meta).toEqual({ count: 1, filters: { ...filters, limit: 7, offset: 0 } });
  });

  test.each([
    ["in the name", "rydb", ["quarrydb"]],
    ["in the slug", "d-100", ["odd-100"]],
    ["in the domain", "charts.ex", ["plotwell"]],
    ["in capitals", "QUARRYDB", ["quarrydb"]],
    ["without a match", "nothing like it", []],
    ["empty, which matches all", "", ["odd-100", "plotwell", "quarrydb"]],
  ])("finds by q %s", async (_where, q, found) => expect(await slugs({ q })).toEqual(found));

  test.each([
    ["%", ["odd-100"]],
    ["_", ["odd-100"]],
    ["\\", ["odd-100"]],
    ["%_\\", ["odd-100"]],
    ["q%y", []],
    ["plot_ell", []],
    ["'", []],
  ])("treats %j literally, not as a pattern", async (q, found) => expect(await slugs({ q })).toEqual(found));

  test("ignores the case of non-ASCII letters", async () => {
    expect(await slugs({ q: "ŁOST ünit", status: "unreachable" })).toEqual(["lost"]);
  });

  test("pages without gaps or repeats; an offset beyond the end returns an empty page", async () => {
    const pages = await Promise.all(["0", "1", "2", "3"].map((offset) => slugs({ limit: "1", offset })));
    expect(pages).toEqual([["odd-100"], ["plotwell"], ["quarrydb"], []]);
    expect(await slugs({ offset: "999999999" })).toEqual([]);
  });
});

describe("the filters", () => {
  const messageOf = (given: Record<string, string>) =>
    vendorSearchQuerySchema.safeParse(given).error?.issues[0]?.message ?? "accepted";

  test.each([
    ["limit", ["1", "50", "100"], ["0", "101", "-1", "1.5", "", " 1", "1e1", "0x1", "1000"]],
    ["offset", ["0", "999999999"], ["-1", "1.5", "", "1e3", "1000000000", "ten"]],
    ["q", ["", "a".repeat(200)], ["a".repeat(201), "a\0b"]],
    ["status", ["active"], ["", "all"]],
    ["category", ["database"], ["", "Database"]],
  ])("bound %s", (name, good, bad) => {
    for (const value of good) expect([value, messageOf({ [name]: value })]).toEqual([value, "accepted"]);
    for (const value of bad) expect([value, messageOf({ [name]: value })]).not.toEqual([value, "accepted"]);
  });
});
