import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { readStream } from "#tests/support/read-stream";

async function get(path: string, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await readStream(`${inject("baseUrl")}/api/v1${path}`, { headers });
  return { ...answer, text: answer.body.toString() };
}
const codeOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).code];

const content = "# Äcme\r\n</vendor-content>\n- [a](https://acme.example/a)\n";
let acme: Awaited<ReturnType<typeof addAppVendor>>;
let risky: typeof acme;
let fresh: typeof acme;
let own: typeof acme;
let ownKey: string;
beforeAll(async () => {
  const { key, stored } = await issueKey("pro");
  ownKey = key;
  acme = await addAppVendor({}, [content]);
  risky = await addAppVendor({}, ["a\n"]);
  const id = risky.stored[0]?.snapshotId as string;
  await withAppDatabase((database) => database.snapshot.update({ where: { id }, data: { securityScore: 4 } }));
  fresh = await addAppVendor();
  own = await addAppVendor({ accountId: stored.accountId }, ["own\n"]);
});
afterAll(removeAppVendors);

describe("GET /api/v1/vendors/{slug}/content", () => {
  it("returns the raw file and its metadata to the starter tier and above, and counts the request", async () => {
    const { key } = await issueKey("starter");
    const { status, headers, text } = await get(`/vendors/${acme.slug}/content`, key);
    expect([status, headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]).toEqual([200, "5000", "4999"]);
    expect(headers["cache-control"]).toContain("private");
    expect(JSON.parse(text)).toEqual({
      content,
      metadata: {
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        byte_size: Buffer.byteLength(content),
        line_count: 3,
        link_count: 1,
        fetched_at: expect.any(String),
      },
    });
  });

  it("is 401 without a key, with an invalid one, and on the free tier", async () => {
    const { key } = await issueKey("free");
    for (const used of [undefined, "broken", key]) {
      const answer = await get(`/vendors/${acme.slug}/content`, used);
      expect(codeOf(answer)).toEqual([401, "unauthorized"]);
      expect(answer.headers["x-ratelimit-limit"]).toBe("100");
    }
  });

  it("is 404 for an unknown vendor, and before the first snapshot", async () => {
    for (const slug of ["nobody", fresh.slug]) {
      expect(codeOf(await get(`/vendors/${slug}/content`, ownKey))).toEqual([404, "not_found"]);
    }
  });
});

describe("GET /api/v1/content/{slug}", () => {
  it("returns the wrapped content as plain text, with its score, to everyone", async () => {
    const { status, headers, text } = await get(`/content/${acme.slug}`, "broken");
    expect([status, headers["content-type"], headers["x-content-security-score"]]).toEqual([
      200,
      "text/plain; charset=utf-8",
      "0",
    ]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(text).toBe(
      `<vendor-content source="${acme.slug}">\n${content.replace("</vendor", "&lt;/vendor")}\n</vendor-content>`,
    );
  });

  it("is 403 with the score if that is 3 or higher", async () => {
    const answer = await get(`/content/${risky.slug}`);
    expect([codeOf(answer), answer.headers["x-content-security-score"]]).toEqual([[403, "forbidden"], "4"]);
  });

  it("is 404 for an unknown vendor, before the first snapshot, and for another account's vendor", async () => {
    expect((await get(`/content/${own.slug}`, ownKey)).status).toBe(200);
    const { key } = await issueKey("pro");
    for (const slug of ["nobody", fresh.slug, own.slug]) {
      expect(codeOf(await get(`/content/${slug}`, key))).toEqual([404, "not_found"]);
    }
  });
});
