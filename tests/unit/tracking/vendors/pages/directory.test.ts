import { describe, expect, test } from "vitest";
import { directoryPageSize, listDirectory, readDirectoryQuery } from "#lib/tracking/vendors/index";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, addVersion, reportRow } from "#tests/support/vendor-rows";

const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour));

const fixture = vendorDatabase();

const list = (given: Record<string, string> = {}) =>
  listDirectory({ database: fixture.client }, { query: readDirectoryQuery(given) });
const slugsOf = async (given?: Record<string, string>) => (await list(given)).vendors.map(({ slug }) => slug);

async function addChanged(slug: string, hours: readonly number[], row: object = {}) {
  await addVendor(fixture.client, { slug, ...row });
  const ids: (string | null)[] = [];
  for (const hour of hours) ids.push((await addVersion(fixture.client, slug, `${hour}\n`, at(hour))).diffId);
  return ids.filter((id) => id !== null);
}

describe("the directory", () => {
  test("sorts by last change, then by fetch, then by slug", async () => {
    await addVendor(fixture.client, { slug: "a-never" });
    await addVendor(fixture.client, { slug: "b-never" });
    await addChanged("fetched", [9]);
    await addChanged("older", [1, 2]);
    await addChanged("newer", [1, 3]);
    expect(await slugsOf()).toEqual(["newer", "older", "fetched", "a-never", "b-never"]);
    expect(await slugsOf({ sort: "name" })).toEqual(["a-never", "b-never", "fetched", "newer", "older"]);
  });

  test("includes status, size, last fetch and recent changes with their significance", async () => {
    const [first, second] = (await addChanged("acme", [1, 2, 3], { status: "unreachable", category: "cloud" })) as [
      string,
      string,
    ];
    const { id: vendorId } = await fixture.client.vendor.findUniqueOrThrow({ where: { slug: "acme" } });
    const report = reportRow({ vendorId, diffId: second, significance: 4, createdAt: at(4) });
    await fixture.client.report.create({ data: report });
    const { vendors } = await list();
    const counts = { linesAdded: 1, linesRemoved: 1 };
    expect(vendors).toEqual([
      {
        name: "Vendor acme",
        slug: "acme",
        domain: "acme.example.com",
        category: "cloud",
        status: "unreachable",
        lastFetchedAt: at(3),
        isSample: false,
        byteSize: 2,
        changes: [
          { vendorId, id: second, at: at(3), significance: 4, ...counts },
          { vendorId, id: first, at: at(2), significance: null, ...counts },
        ],
      },
    ]);
  });

  test("includes as many changes per vendor as its public detail", async () => {
    await addChanged(
      "busy",
      Array.from({ length: 13 }, (_, hour) => hour),
    );
    await addChanged("other", [1, 2]);
    const { vendors } = await list();
    expect(vendors.map(({ slug, changes }) => [slug, changes.length])).toEqual([
      ["busy", 10],
      ["other", 1],
    ]);
  });

  test("filters by part of name, slug or domain, and by category and status", async () => {
    await addVendor(fixture.client, { slug: "quarrydb", name: "QuärryDB", domain: "q.example", category: "database" });
    await addVendor(fixture.client, { slug: "plotwell", domain: "plot.example", category: "cloud", status: "paused" });
    expect(await slugsOf({ q: "QUÄRRY" })).toEqual(["quarrydb"]);
    expect(await slugsOf({ q: "plot.ex" })).toEqual(["plotwell"]);
    expect(await slugsOf({ q: "%" })).toEqual([]);
    expect(await slugsOf({ category: "cloud", status: "paused" })).toEqual(["plotwell"]);
    expect(await slugsOf({ category: "cloud", status: "active" })).toEqual([]);
  });

  test("pages without gaps or repeats, and a page after the last is the last", async () => {
    for (let vendor = 0; vendor <= directoryPageSize; vendor++) {
      await addVendor(fixture.client, { slug: `v${String(vendor).padStart(3, "0")}` });
    }
    const [first, second, behind] = [await list(), await list({ page: "2" }), await list({ page: "9" })];
    expect([first.count, first.pageCount, first.vendors.length]).toEqual([directoryPageSize + 1, 2, directoryPageSize]);
    expect(new Set([...first.vendors, ...second.vendors].map(({ slug }) => slug)).size).toBe(directoryPageSize + 1);
    expect(behind).toEqual(second);
  });
});
