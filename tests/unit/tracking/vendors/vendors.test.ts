import { describe, expect, test } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { systemIds } from "#lib/platform/ids";
import { getVendor, listVendors } from "#lib/tracking/vendors/index";
import { vendorAnswerSchema, vendorListQuerySchema, vendorListSchema } from "#lib/tracking/vendors/schemas";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";

const hourMs = 60 * 60 * 1000;
const at = (hours: number) => new Date(Date.UTC(2026, 10, 1) + hours * hourMs);

const fixture = vendorDatabase();

const list = async (input?: Parameters<typeof listVendors>[1]) =>
  vendorListSchema.parse(await listVendors({ caller: anonymousCaller, database: fixture.client }, input));
const get = async (slug: string) =>
  vendorAnswerSchema.parse(
    await getVendor({ caller: anonymousCaller, database: fixture.client }, { params: { slug } }),
  );
const add = (row: Parameters<typeof addVendor>[1]) => addVendor(fixture.client, row);
const store = (slug: string, text: string, hours: number) => addVersion(fixture.client, slug, text, at(hours));

describe("the list of vendors", () => {
  test("has the active vendors by slug, each with its latest snapshot, or null", async () => {
    await add({ slug: "zeta", name: "Zeta", domain: "zeta.example", category: "ai-platform" });
    await add({ slug: "acme", name: "Acme", domain: "acme.example", category: "payments" });
    await store("acme", "# Acme\n", 0);
    await store("acme", "# Acme\n\n- [a](https://acme.example/ü)\n", 1);
    const meta = { content_hash: expect.stringMatching(/^[0-9a-f]{64}$/), fetched_at: "2026-11-01T01:00:00.000Z" };
    expect(await list()).toEqual({
      count: 2,
      vendors: [
        {
          slug: "acme",
          name: "Acme",
          domain: "acme.example",
          category: "payments",
          latest: { ...meta, byte_size: 39, line_count: 3, link_count: 1 },
        },
        { slug: "zeta", name: "Zeta", domain: "zeta.example", category: "ai-platform", latest: null },
      ],
    });
  });

  test("excludes paused and unreachable vendors, and accounts' own vendors", async () => {
    await add({ slug: "paused", status: "paused" });
    await add({ slug: "gone", status: "unreachable" });
    await add({ slug: "custom", accountId: fixture.accountId });
    await add({ slug: "shown" });
    expect((await list()).vendors.map(({ slug }) => slug)).toEqual(["shown"]);
  });

  test("is whole, or a page of it", async () => {
    for (const slug of ["c", "a", "d", "b"]) await add({ slug });
    const slugs = async (query?: Record<string, string>) =>
      (await list(query && { query: vendorListQuerySchema.parse(query) })).vendors.map(({ slug }) => slug);
    expect(await slugs()).toEqual(["a", "b", "c", "d"]);
    expect(await slugs({ limit: "2", offset: "1" })).toEqual(["b", "c"]);
    expect(await slugs({ offset: "4" })).toEqual([]);
    expect(vendorListQuerySchema.safeParse({ limit: "10001" }).success).toBe(false);
  });
});

describe("a vendor's detail", () => {
  test("has exactly the documented fields", async () => {
    const llmsFullTxtUrl = "https://acme.example/llms-full.txt";
    const names = { slug: "acme", name: "Acme", domain: "acme.example", llmsFullTxtUrl };
    await add({ ...names, category: "data-analytics", status: "paused" });
    const first = await store("acme", "a\n", 0);
    const second = await store("acme", "a\nhttps://acme.example/b\n", 1);
    const snapshot = {
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      http_status: 200,
      response_time_ms: 12,
      security_score: 0,
    };
    expect(await get("acme")).toEqual({
      vendor: {
        slug: "acme",
        name: "Acme",
        domain: "acme.example",
        category: "data-analytics",
        status: "paused",
        llms_txt_url: "https://acme.example/llms.txt",
        llms_full_txt_url: llmsFullTxtUrl,
      },
      snapshots: [
        {
          ...snapshot,
          id: second.snapshotId,
          byte_size: 25,
          line_count: 2,
          link_count: 1,
          fetched_at: "2026-11-01T01:00:00.000Z",
        },
        {
          ...snapshot,
          id: first.snapshotId,
          byte_size: 2,
          line_count: 1,
          link_count: 0,
          fetched_at: "2026-11-01T00:00:00.000Z",
        },
      ],
      diffs: [
        {
          id: second.diffId,
          previous_snapshot_id: first.snapshotId,
          current_snapshot_id: second.snapshotId,
          lines_added: 1,
          lines_removed: 0,
          links_added: ["https://acme.example/b"],
          links_removed: [],
          created_at: "2026-11-01T01:00:00.000Z",
        },
      ],
    });
  });

  test("says why its fetches fail, and since when; not after one that did not", async () => {
    const { id: vendorId } = await add({ slug: "acme" });
    const { fetch, vendor } = fixture.client;
    await vendor.update({ where: { id: vendorId }, data: { failingSince: at(0) } });
    for (const failure of ["html", "http_404"]) {
      const id = systemIds.next();
      await fetch.create({ data: { id, vendorId, createdAt: at(1), outcome: "failed", failure, requestCount: 1 } });
    }
    const failing = { failure: "http_404", failing_since: "2026-11-01T00:00:00.000Z" };
    expect((await get("acme")).vendor).toMatchObject(failing);
    await vendor.update({ where: { id: vendorId }, data: { failingSince: null } });
    expect((await get("acme")).vendor).not.toHaveProperty("failure");
  });

  test("has the latest ten snapshots and diffs, newest first", async () => {
    await add({ slug: "acme" });
    const stored: Awaited<ReturnType<typeof store>>[] = [];
    for (let hour = 0; hour < 13; hour++) stored.push(await store("acme", `${hour}\n`, hour));
    const { snapshots, diffs } = await get("acme");
    const newest = stored.slice(-10).reverse();
    expect(snapshots.map(({ id }) => id)).toEqual(newest.map(({ snapshotId }) => snapshotId));
    expect(diffs.map(({ id }) => id)).toEqual(newest.map(({ diffId }) => diffId));
  });

  test("has the first thousand links of a diff with more", async () => {
    await add({ slug: "acme" });
    await store("acme", "a\n", 0);
    const links = Array.from({ length: 1_200 }, (_, index) => `https://acme.example/${index}`);
    await store("acme", links.join("\n"), 1);
    expect((await get("acme")).diffs[0]?.links_added).toEqual(links.slice(0, 1_000));
  });
});
