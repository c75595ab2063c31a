import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { issueKey } from "#tests/support/keys";
import { readStream } from "#tests/support/read-stream";

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await readStream(`${inject("baseUrl")}/api/v1${path}`, { headers });
  return { ...answer, json: answer.body.length ? JSON.parse(answer.body.toString()) : undefined };
}

let acme: Awaited<ReturnType<typeof addAppVendor>>;
let own: typeof acme;
let paused: typeof acme;
beforeAll(async () => {
  const { stored } = await issueKey("pro");
  acme = await addAppVendor({ category: "data-analytics" }, ["a\n", "a\nhttps://acme.example/b\n"]);
  own = await addAppVendor({ accountId: stored.accountId }, ["a\n", "b\n"]);
  paused = await addAppVendor({ status: "paused" });
});
afterAll(removeAppVendors);

const slugsOf = ({ json }: Awaited<ReturnType<typeof get>>) =>
  (json.vendors as { slug: string }[]).map(({ slug }) => slug);

describe("GET /api/v1/vendors", () => {
  it("lists the active vendors by slug with their latest snapshots to anyone, with any key", async () => {
    const { status, headers, json } = await get("/vendors", { authorization: "Bearer broken" });
    expect([status, headers["access-control-allow-origin"], headers["x-ratelimit-limit"]]).toEqual([
      200,
      "*",
      undefined,
    ]);
    expect(json.count).toBe(json.vendors.length);
    expect(json.vendors.find(({ slug }: { slug: string }) => slug === acme.slug)).toEqual({
      name: acme.name,
      slug: acme.slug,
      domain: acme.domain,
      category: "data-analytics",
      latest: {
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        byte_size: 25,
        line_count: 2,
        link_count: 1,
        fetched_at: expect.any(String),
      },
    });
  });

  it("returns 304 to a client with a current copy", async () => {
    const { headers } = await get(`/vendors/${acme.slug}`);
    expect(headers["cache-control"]).toBe("public, max-age=0, must-revalidate");
    const { status, body } = await get(`/vendors/${acme.slug}`, { "if-none-match": headers.etag as string });
    expect([status, body.length]).toEqual([304, 0]);
  });
});

describe("GET /api/v1/vendors/search", () => {
  it("filters, and returns the applied filters", async () => {
    const { status, json } = await get(`/vendors/search?q=${acme.slug.toUpperCase()}&category=data-analytics&limit=5`);
    expect([status, json]).toEqual([
      200,
      {
        _meta: {
          count: 1,
          filters: { q: acme.slug.toUpperCase(), category: "data-analytics", status: "active", limit: 5, offset: 0 },
        },
        vendors: [
          { name: acme.name, slug: acme.slug, domain: acme.domain, category: "data-analytics", status: "active" },
        ],
      },
    ]);
    expect(slugsOf(await get(`/vendors/search?q=${paused.slug}`))).toEqual([]);
    expect(slugsOf(await get(`/vendors/search?q=${paused.slug}&status=paused`))).toEqual([paused.slug]);
    expect(slugsOf(await get(`/vendors/search?q=${own.slug}`))).toEqual([]);
  });

  it.each(["category=db", "limit=0", "limit=101", "limit=ten", "offset=-1", "q=a&q=b", "q=%00", "limit=", "status="])(
    "rejects %s",
    async (query) => {
      const { status, json } = await get(`/vendors/search?${query}`);
      expect([status, json.code]).toEqual([400, "bad_request"]);
    },
  );
});

describe("GET /api/v1/vendors/{slug}", () => {
  it("returns the vendor, its snapshots and its diffs", async () => {
    const { status, json } = await get(`/vendors/${acme.slug}`);
    const [first, second] = acme.stored;
    expect([status, Object.keys(json)]).toEqual([200, ["vendor", "snapshots", "diffs"]]);
    expect(json.vendor).toEqual({
      name: acme.name,
      slug: acme.slug,
      domain: acme.domain,
      category: "data-analytics",
      status: "active",
      llms_txt_url: acme.llmsTxtUrl,
      llms_full_txt_url: null,
    });
    expect(json.snapshots.map(({ id }: { id: string }) => id)).toEqual([second?.snapshotId, first?.snapshotId]);
    expect(json.diffs.map(({ id }: { id: string }) => id)).toEqual([second?.diffId]);
  });

  it.each(["nobody", "NOBODY", "a%2Fb", "%00", "-".repeat(101)])("returns 404 for %s", async (slug) => {
    const { status, json } = await get(`/vendors/${slug}`);
    expect([status, json.code]).toEqual([404, "not_found"]);
  });
});

describe("GET /api/v1/stats", () => {
  it("returns counts for every category and status", async () => {
    const { status, json } = await get("/stats");
    expect(status).toBe(200);
    expect(Object.keys(json).sort()).toEqual(
      ["category_breakdown", "diffs", "snapshots", "status_breakdown", "total_bytes_tracked", "vendors"].sort(),
    );
    expect(Object.keys(json.category_breakdown)).toHaveLength(8);
    expect(Object.keys(json.status_breakdown)).toEqual(["active", "paused", "unreachable"]);
    const sum = Object.values<number>(json.category_breakdown).reduce((total, count) => total + count, 0);
    expect([sum, json.status_breakdown.active]).toEqual([json.vendors, json.vendors]);
  });
});
