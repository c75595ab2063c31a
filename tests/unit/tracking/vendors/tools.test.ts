import { beforeAll, describe, expect, it } from "vitest";
import { anonymousCaller, type CallContext } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { listVendorsTool, searchVendorsTool } from "#lib/tracking/vendors/index";
import { callTool, refusalOf, walkTool } from "#tests/support/call-tool";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";

const fixture = vendorDatabase();
let context: CallContext;
beforeAll(() => {
  context = { caller: anonymousCaller, database: fixture.client, clock: systemClock };
});

const add = (row: Parameters<typeof addVendor>[1]) => addVendor(fixture.client, row);

async function addMany(count: number): Promise<string[]> {
  const slugs = Array.from({ length: count }, (_, index) => `v-${String(index).padStart(3, "0")}${"-x".repeat(25)}`);
  for (const slug of slugs) await add({ slug, name: `Vendor "${"é".repeat(60)}"` });
  return slugs;
}

describe("list_vendors", () => {
  it("returns every active vendor once, by slug, with its latest snapshot", async () => {
    const slugs = await addMany(90);
    await addVersion(fixture.client, slugs[0] as string, "# A\n", new Date("2026-11-20T06:00:00Z"));
    const pages = await walkTool(listVendorsTool, context);
    expect(pages.length).toBeGreaterThan(1);
    const vendors = pages.flatMap((page) => page.vendors);
    expect(vendors.map(({ slug }) => slug)).toEqual(slugs);
    expect(vendors[0]?.latest).toMatchObject({ byte_size: 4, fetched_at: "2026-11-20T06:00:00.000Z" });
    expect(vendors[1]?.latest).toBeNull();
    for (const page of pages) expect(page.total).toBe(90);
  });
});

describe("search_vendors", () => {
  it("returns each matching vendor once, in pages", async () => {
    const slugs = await addMany(55);
    for (const limit of [7, 50]) {
      const pages = await walkTool(searchVendorsTool, context, { query: "v-", limit });
      expect(pages.flatMap(({ vendors }) => vendors.map(({ slug }) => slug))).toEqual(slugs);
    }
  });

  it("says what to try if no vendor matches", async () => {
    await addMany(1);
    expect((await callTool(searchVendorsTool, context, { query: "v-" })).hint).toBeUndefined();
    const { count, hint } = await callTool(searchVendorsTool, context, { query: "databse" });
    expect([count, hint]).toEqual([0, expect.stringContaining("misspelt")]);
  });

  it("rejects the cursor of another search", async () => {
    await addMany(3);
    const { next_cursor: cursor } = await callTool(searchVendorsTool, context, { query: "v-", limit: 1 });
    const { code } = await refusalOf(callTool(searchVendorsTool, context, { query: "x-", limit: 1, cursor }));
    expect(code).toBe("invalid_cursor");
    expect((await callTool(searchVendorsTool, context, { query: "v-", limit: 2, cursor })).count).toBe(2);
  });
});
