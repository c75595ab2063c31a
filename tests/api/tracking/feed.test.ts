import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { feedSchema } from "#lib/tracking/feed/index";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { readStream } from "#tests/support/read-stream";
import { revalidate } from "#tests/support/revalidate";
import { addVendor, addVersion } from "#tests/support/vendor-rows";

const hourMs = 60 * 60 * 1000;
const ago = (hours: number) => new Date(Date.now() - hours * hourMs);
const open = `feed-open-${randomUUID()}`;
const hidden = `feed-hidden-${randomUUID()}`;
const slugs = [open, hidden];
let freeKey = "";
let diffId: string | null = null;

beforeAll(async () => {
  freeKey = (await issueKey("free")).key;
  await withAppDatabase(async (database) => {
    await addVendor(database, { slug: open, name: "Open & Co", category: "data-analytics", isPublic: true });
    await addVendor(database, { slug: hidden });
    await addVersion(database, hidden, "# Hidden\n", ago(3));
    await addVersion(database, open, "# Open\n", ago(2));
    ({ diffId } = await addVersion(database, open, "# Open\n\n- [A](https://open.example/?a&b)\n", ago(1)));
  });
});
afterAll(() => withAppDatabase((database) => database.vendor.deleteMany({ where: { slug: { in: slugs } } })));

async function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
  const { status, headers: sent, body } = await readStream(`${inject("baseUrl")}${path}`, { headers, method });
  return { status, headers: sent, text: body.toString() };
}

/** Requests with a key, by default one of the free tier: requests without a key share this machine's limit. */
async function feed(query: string, key = freeKey) {
  const answer = await ask(`/api/v1/feed${query}`, { authorization: `Bearer ${key}` });
  const json = JSON.parse(answer.text);
  if (answer.status === 200) expect(feedSchema.parse(json)).toEqual(json);
  return { ...answer, json };
}

describe("GET /api/v1/feed", () => {
  it("serves the free tier public vendors without diff content, and counts the request", async () => {
    const { status, headers, json } = await feed(`?vendor=${open}`);
    expect([status, json._meta.tier, json._meta.service, json._meta.vendor_count]).toEqual([
      200,
      "free",
      "tapedeck",
      1,
    ]);
    expect([json.feed[0].vendor.category, "diff_content" in json.feed[0]]).toEqual(["data-analytics", false]);
    expect(json.feed[0].recent_change).toMatchObject({ lines_added: 2, lines_removed: 0 });
    expect(headers["x-ratelimit-limit"]).toBe("100");
    expect(headers["cache-control"]).toBe("private, max-age=0, must-revalidate");
    expect((await feed(`?vendor=${hidden}`)).json.feed).toEqual([]);
  });

  it("returns 304 to a client with a current copy, and supports HEAD", async () => {
    const bearer = { authorization: `Bearer ${freeKey}` };
    const path = `/api/v1/feed?vendor=${open}`;
    const { headers } = await ask(path, bearer);
    const again = await ask(path, { ...bearer, "if-none-match": headers.etag as string });
    expect([again.status, again.text]).toEqual([304, ""]);
    const head = await ask(path, bearer, "HEAD");
    expect([head.status, head.text, head.headers.etag]).toEqual([200, "", headers.etag]);
  });

  it.each([
    ["?cursor=nowhere", 400, "invalid_cursor"],
    ["?limit=101", 400, "bad_request"],
    ["?since=yesterday", 400, "bad_request"],
    ["?vendor=a&vendor=b", 400, "bad_request"],
  ])("responds to %s with %i %s", async (query, status, code) => {
    const answer = await feed(query);
    expect([answer.status, answer.json]).toEqual([status, { code, status, error: expect.any(String) }]);
    expect(answer.headers["x-ratelimit-remaining"]).toBeDefined();
  });

  it("rejects an invalid key", async () => {
    expect((await feed("", "ltf_broken")).json.code).toBe("unauthorized");
  });
});

describe("the feeds of changes", () => {
  it.each([
    ["/feed.xml", "application/atom+xml; charset=utf-8"],
    [`/vendors/${open}/feed.xml`, "application/atom+xml; charset=utf-8"],
    ["/feed.json", "application/feed+json; charset=utf-8"],
    [`/vendors/${open}/feed.json`, "application/feed+json; charset=utf-8"],
  ])("%s is %s, with stable validators", async (path, type) => {
    const { status, headers, text } = await ask(path);
    expect([status, headers["content-type"]]).toEqual([200, type]);
    expect(text).toContain(`urn:uuid:${diffId}`);
    expect(text).toContain(`${inject("baseUrl")}${path}`);
    expect(headers["last-modified"]).toBeDefined();
    expect((await revalidate((condition) => ask(path, condition))).status).toBe(304);
    expect((await ask(path, { "if-modified-since": new Date().toUTCString() })).status).toBe(304);
    expect((await ask(path, { "if-modified-since": ago(48).toUTCString() })).status).toBe(200);
  });

  it("ignore filters without a value, and refuse invalid ones", async () => {
    expect((await ask("/feed.xml?vendor=&category=&min_significance=&to=")).status).toBe(200);
    expect((await ask("/feed.json?category=x")).status).toBe(400);
  });

  it("returns 404 for an unknown vendor", async () => {
    const { status, text } = await ask("/vendors/nobody/feed.xml");
    expect([status, JSON.parse(text).code]).toEqual([404, "not_found"]);
  });
});
