import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { issueKey } from "#tests/support/keys";
import { readStream } from "#tests/support/read-stream";

async function get(path: string, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await readStream(`${inject("baseUrl")}/api/v1${path}`, { headers });
  return { ...answer, json: JSON.parse(answer.body.toString()) };
}

let shown: Awaited<ReturnType<typeof addAppVendor>>;
beforeAll(async () => {
  shown = await addAppVendor({ isPublic: true }, ["a\n", "a\nhttps://acme.example/ü\n", "c\n"]);
});
afterAll(removeAppVendors);

describe("GET /api/v1/diffs/{id}", () => {
  it("returns the diff and both snapshots to anyone, with any key", async () => {
    const [first, second] = shown.stored;
    const { status, headers, json } = await get(`/diffs/${second?.diffId}`, "broken");
    expect([status, headers["access-control-allow-origin"], headers["x-ratelimit-limit"]]).toEqual([
      200,
      "*",
      undefined,
    ]);
    expect(json).toEqual({
      diff: {
        id: second?.diffId,
        vendor_slug: shown.slug,
        lines_added: 1,
        lines_removed: 0,
        links_added: ["https://acme.example/%C3%BC"],
        links_removed: [],
        created_at: expect.any(String),
      },
      previous_snapshot: { id: first?.snapshotId, byte_size: 2, line_count: 1, fetched_at: expect.any(String) },
      current_snapshot: { id: second?.snapshotId, byte_size: 26, line_count: 2, fetched_at: expect.any(String) },
    });
  });

  it.each(["1", "not-a-uuid", "%00", "019aa5c2-7f10-7c3e-8f2a-5d1c0b7e9a4"])("returns 400 for %s", async (id) => {
    const { status, json } = await get(`/diffs/${id}`);
    expect([status, json.code, json.status]).toEqual([400, "bad_request", 400]);
  });
});

describe("GET /api/v1/vendors/{slug}/diffs", () => {
  it("needs no key for a public vendor", async () => {
    const { status, headers, json } = await get(`/vendors/${shown.slug}/diffs`);
    expect([status, json._meta.tier, headers["access-control-allow-origin"]]).toEqual([200, "free", "*"]);
  });

  it("pages a public vendor's history on the free tier without texts, and counts the requests", async () => {
    const { key } = await issueKey("free");
    const first = await get(`/vendors/${shown.slug}/diffs?limit=1`, key);
    expect([first.status, first.headers["x-ratelimit-limit"]]).toEqual([200, "100"]);
    expect(first.headers.vary).toContain("Authorization");
    const [, second, third] = shown.stored;
    expect(first.json._meta).toEqual({ count: 1, next_cursor: third?.diffId, has_more: true, tier: "free" });
    expect("diff_text" in first.json.diffs[0]).toBe(false);
    const next = await get(`/vendors/${shown.slug}/diffs?limit=1&cursor=${third?.diffId}`, key);
    expect(next.json._meta).toEqual({ count: 1, next_cursor: null, has_more: false, tier: "free" });
    expect(next.json.diffs[0].id).toBe(second?.diffId);
  });

  it("returns 400 for an invalid cursor or limit, and 401 for an invalid key", async () => {
    const { key: good } = await issueKey("free");
    const codeOf = async (query: string, key = good) => {
      const { status, json } = await get(`/vendors/${shown.slug}/diffs?${query}`, key);
      return [status, json.code];
    };
    expect(await codeOf("cursor=x")).toEqual([400, "invalid_cursor"]);
    expect(await codeOf("cursor=")).toEqual([400, "invalid_cursor"]);
    expect(await codeOf("limit=101")).toEqual([400, "bad_request"]);
    expect(await codeOf("limit=1", "broken")).toEqual([401, "unauthorized"]);
  });
});
