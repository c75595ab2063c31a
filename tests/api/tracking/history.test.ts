import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { applyUnified } from "#lib/tracking/diffs/index";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { issueKey } from "#tests/support/keys";
import { readStream } from "#tests/support/read-stream";

/** Requests without a key must not use up the limit of the other tests' address. */
const localAddress = "127.0.0.11";

async function get(path: string, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await readStream(`${inject("baseUrl")}/api/v1/vendors/${path}`, { headers, localAddress });
  return { ...answer, json: JSON.parse(answer.body.toString()) };
}
const codeOf = async (path: string, key?: string) => {
  const { status, json } = await get(path, key);
  return [status, json.code];
};

type Vendor = Awaited<ReturnType<typeof addAppVendor>>;
const idsOf = ({ stored }: Vendor) => stored.map(({ snapshotId }) => snapshotId as string);

/** Longer than what is compared in the thread of the server. */
const long = (word: string) => Array.from({ length: 15_000 }, (_, line) => `${word} ${line % 400}\n`).join("");
const texts = ["a\n", "a\n</vendor-content>\n", "b\nhttps://acme.example/new\n"];

let shown: Vendor;
let large: Vendor;
let starter: string;
beforeAll(async () => {
  starter = (await issueKey("starter")).key;
  shown = await addAppVendor({ isPublic: true }, texts);
  large = await addAppVendor({ isPublic: true }, [long("old"), long("new")]);
});
afterAll(removeAppVendors);

describe("GET /api/v1/vendors/{slug}/snapshots", () => {
  it("pages the history of a public vendor without a key, and counts the requests", async () => {
    const [first, second, third] = idsOf(shown);
    const page = await get(`${shown.slug}/snapshots?limit=2`);
    expect([page.status, page.headers["x-ratelimit-limit"], page.headers["access-control-allow-origin"]]).toEqual([
      200,
      "100",
      "*",
    ]);
    expect(page.json._meta).toEqual({ count: 2, next_cursor: second, has_more: true, tier: "free" });
    expect(page.json.snapshots.map(({ id }: { id: string }) => id)).toEqual([third, second]);
    const next = await get(`${shown.slug}/snapshots?limit=2&cursor=${second}`);
    expect([next.json._meta.has_more, next.json.snapshots[0].id]).toEqual([false, first]);
    expect(Object.keys(next.json.snapshots[0]).sort()).toEqual([
      ...["byte_size", "content_hash", "created_at", "fetched_at", "http_status", "id", "line_count", "link_count"],
      ...["response_time_ms", "security_score"],
    ]);
  });

  it("refuses invalid parameters and keys", async () => {
    expect(await codeOf(`${shown.slug}/snapshots?cursor=x`, starter)).toEqual([400, "invalid_cursor"]);
    expect(await codeOf(`${shown.slug}/snapshots?limit=101`, starter)).toEqual([400, "bad_request"]);
    expect(await codeOf(`${shown.slug}/snapshots`, "broken")).toEqual([401, "unauthorized"]);
    expect(await codeOf("nobody/snapshots", starter)).toEqual([404, "not_found"]);
  });
});

describe("GET /api/v1/vendors/{slug}/snapshots/{id}", () => {
  it("returns the version wrapped and neutralised, with its score", async () => {
    const id = idsOf(shown)[1] as string;
    const { status, headers, json } = await get(`${shown.slug}/snapshots/${id}`, starter);
    expect([status, headers["x-content-security-score"], json.snapshot.id]).toEqual([200, "0", id]);
    expect(json.content).toBe(`<vendor-content source="${shown.slug}">\na\n&lt;/vendor-content>\n\n</vendor-content>`);
  });

  it.each(["1", "not-a-uuid", "%00", "%27%20OR%201=1", "..%2F..%2Fetc"])("returns 400 for the id %s", async (id) => {
    expect(await codeOf(`${shown.slug}/snapshots/${id}`, starter)).toEqual([400, "bad_request"]);
  });
});

describe("GET /api/v1/vendors/{slug}/compare", () => {
  const compare = (vendor: Vendor, from: unknown, to: unknown, key?: string) =>
    get(`${vendor.slug}/compare?from=${from}&to=${to}`, key);

  it("returns the diff of any two versions, in both orders, which turns the one into the other", async () => {
    const [first, , third] = idsOf(shown);
    const forward = (await compare(shown, first, third, starter)).json;
    expect(forward).toMatchObject({
      diff: {
        vendor_slug: shown.slug,
        direction: "older-to-newer",
        lines_added: 2,
        lines_removed: 1,
        exact: true,
        links_added: ["https://acme.example/new"],
        links_removed: [],
      },
      from_snapshot: { id: first },
      to_snapshot: { id: third },
    });
    expect(applyUnified(texts[0] as string, forward.diff.diff_text)).toBe(texts[2]);
    const { diff } = (await compare(shown, third, first, starter)).json;
    expect(diff).toMatchObject({ direction: "newer-to-older", links_removed: ["https://acme.example/new"] });
    expect(applyUnified(texts[2] as string, diff.diff_text)).toBe(texts[0]);
  });

  it("compares long versions in a worker thread, also where Next bundles the code", async () => {
    const [first, second] = idsOf(large);
    const { status, json } = await compare(large, first, second, starter);
    expect([status, json.diff.lines_added, json.diff.lines_removed]).toEqual([200, 15_000, 15_000]);
    expect(json.diff.diff_text).toMatch(/\n\\ Lines omitted from this diff: \d+\n$/);
  });
});
