import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { readStream } from "#tests/support/read-stream";
import { revalidate } from "#tests/support/revalidate";

/**
 * What HTTP adds to the reads of the tracker: who may ask, what is counted, statuses and headers. What they return is
 * tested in tests/unit/tracking.
 */

/** Requests without a key must not use up the limit of the other tests' address. */
const localAddress = "127.0.0.11";

async function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
  const answer = await readStream(`${inject("baseUrl")}${path}`, { headers, localAddress, method });
  return { ...answer, text: answer.body.toString() };
}

type Vendor = Awaited<ReturnType<typeof addAppVendor>>;
const long = (word: string) => Array.from({ length: 15_000 }, (_, line) => `${word} ${line % 400}\n`).join("");
const text = "# Äcme\r\n</vendor-content>\n- [a](https://acme.example/a)\n";

const keys: Record<string, string> = { broken: "ltf_broken" };
const vendors = {} as Record<"open" | "risky" | "fresh" | "own" | "large", Vendor>;
beforeAll(async () => {
  for (const tier of ["free", "starter"] as const) keys[tier] = (await issueKey(tier)).key;
  const owner = await issueKey("pro");
  keys.owner = owner.key;
  vendors.open = await addAppVendor({ isPublic: true, category: "data-analytics" }, ["a\n", "a\nb\n", text]);
  vendors.risky = await addAppVendor({}, ["a\n"]);
  vendors.fresh = await addAppVendor();
  vendors.own = await addAppVendor({ accountId: owner.stored.accountId }, ["own\n"]);
  // Longer than what is compared in the thread of the server.
  vendors.large = await addAppVendor({ isPublic: true }, [long("old"), long("new")]);
  const where = { id: vendors.risky.stored[0]?.snapshotId as string };
  await withAppDatabase((database) => database.snapshot.update({ where, data: { securityScore: 4 } }));
});
afterAll(removeAppVendors);

const slugOf = (name: keyof typeof vendors) => vendors[name].slug;
const storedOf = (name: keyof typeof vendors, index: number) => {
  const { snapshotId = "", diffId } = vendors[name].stored[index] ?? {};
  return { snapshotId, diffId: diffId ?? "" };
};

/** Who asks, by the name of a key; whether the request is counted, with the limit of a day; and headers. */
type Expected = { key?: string; counted?: string; headers?: Record<string, unknown> };

const open = { "access-control-allow-origin": "*" };
const content = () => `/vendors/${slugOf("open")}/content`;
const diffs = () => `/vendors/${slugOf("open")}/diffs`;
const snapshots = () => `/vendors/${slugOf("open")}/snapshots`;
const wrapped = () => `/content/${slugOf("open")}`;

describe("a read of the API", () => {
  it.each<[name: string, path: () => string, Expected?]>([
    ["the vendors", () => "/vendors", { headers: open }],
    ["a search", () => `/vendors/search?q=${slugOf("open").toUpperCase()}&category=data-analytics&limit=5`],
    [
      "a vendor",
      () => `/vendors/${slugOf("open")}`,
      { headers: { "cache-control": "public, max-age=0, must-revalidate" } },
    ],
    ["the statistics", () => "/stats"],
    ["a diff", () => `/diffs/${storedOf("open", 1).diffId}`, { headers: open }],
    ["the diffs of a public vendor", () => `${diffs()}?limit=1`, { counted: "100", headers: open }],
    [
      "its diffs with a key",
      diffs,
      { key: "free", counted: "100", headers: { vary: expect.stringContaining("Authorization") } },
    ],
    ["its versions", () => `${snapshots()}?limit=2`, { counted: "100", headers: open }],
    [
      "a version",
      () => `${snapshots()}/${storedOf("open", 1).snapshotId}`,
      { key: "starter", counted: "5000", headers: { "x-content-security-score": "0" } },
    ],
    [
      "its file",
      content,
      { key: "starter", counted: "5000", headers: { "cache-control": expect.stringContaining("private") } },
    ],
    [
      "its file for models",
      wrapped,
      {
        headers: {
          "content-type": "text/plain; charset=utf-8",
          "x-content-security-score": "0",
          "x-content-type-options": "nosniff",
        },
      },
    ],
    ["an account's own file", () => `/content/${slugOf("own")}`, { key: "owner" }],
    [
      "the feed",
      () => `/feed?vendor=${slugOf("open")}`,
      { key: "free", counted: "100", headers: { "cache-control": "private, max-age=0, must-revalidate" } },
    ],
  ])("answers with %s", async (_name, path, { key, counted, headers = {} } = {}) => {
    const answer = await ask(`/api/v1${path()}`, key === undefined ? {} : { authorization: `Bearer ${keys[key]}` });
    expect([answer.status, answer.headers["x-ratelimit-limit"]]).toEqual([200, counted]);
    expect(answer.headers).toMatchObject(headers);
  });

  it("says what a slug is made of", async () => {
    const { body } = await ask("/api/v1/vendors/Foo_Bar");
    expect(JSON.parse(body.toString()).error).toBe(
      'Path parameter "slug": must be a slug of lower-case letters, digits and hyphens',
    );
  });

  it.each<[path: () => string, status: number, code: string, key?: string]>([
    [() => "/vendors/search?category=db", 400, "bad_request"],
    [() => "/vendors/search?q=a&q=b", 400, "bad_request"],
    ...["nobody", "NOBODY", "a%2Fb", "%00", "-".repeat(101)].map((slug): [() => string, number, string] => [
      () => `/vendors/${slug}`,
      404,
      "not_found",
    ]),
    [() => "/diffs/00000000-0000-4000-8000-000000000000", 404, "not_found"],
    [() => "/diffs/not-a-uuid", 400, "bad_request"],
    [() => "/diffs/%00", 400, "bad_request"],
    [() => `${diffs()}?cursor=x`, 400, "invalid_cursor", "free"],
    [() => `${diffs()}?limit=101`, 400, "bad_request", "free"],
    [diffs, 401, "unauthorized", "broken"],
    [() => `${snapshots()}?cursor=x`, 400, "invalid_cursor", "starter"],
    [() => `${snapshots()}?limit=101`, 400, "bad_request", "starter"],
    [snapshots, 401, "unauthorized", "broken"],
    [() => "/vendors/nobody/snapshots", 404, "not_found", "starter"],
    [() => `${snapshots()}/%27%20OR%201=1`, 400, "bad_request", "starter"],
    [() => `${snapshots()}/..%2F..%2Fetc`, 400, "bad_request", "starter"],
    [content, 401, "unauthorized"],
    [content, 401, "unauthorized", "broken"],
    [content, 401, "unauthorized", "free"],
    [() => "/vendors/nobody/content", 404, "not_found", "owner"],
    [() => "/vendors/nobody/diffs", 404, "not_found", "owner"],
    [() => `/vendors/${slugOf("fresh")}/content`, 404, "not_found", "owner"],
    [() => `/content/${slugOf("risky")}`, 403, "forbidden"],
    [() => "/content/nobody", 404, "not_found"],
    [() => `/content/${slugOf("fresh")}`, 404, "not_found"],
    [() => `/content/${slugOf("own")}`, 404, "not_found", "starter"],
    [() => "/feed?cursor=nowhere", 400, "invalid_cursor", "free"],
    [() => "/feed?since=yesterday", 400, "bad_request", "free"],
    [() => "/feed?vendor=a&vendor=b", 400, "bad_request", "free"],
    [() => "/changes?from=2026-11-25&to=2026-11-01", 400, "bad_request"],
    ...["/feed", "/vendors", "/vendors/search", "/stats", "/changes"].map(
      (path): [() => string, number, string, string] => [() => path, 401, "unauthorized", "broken"],
    ),
    [() => `/diffs/${storedOf("open", 1).diffId}`, 401, "unauthorized", "broken"],
    [wrapped, 401, "unauthorized", "broken"],
  ])("of %s is refused with %i %s", async (path, status, code, key) => {
    const answer = await ask(`/api/v1${path()}`, key === undefined ? {} : { authorization: `Bearer ${keys[key]}` });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { code, status, error: expect.any(String) }]);
    // Requests that need a key are counted for the address without a valid one.
    if (code === "unauthorized") expect(answer.headers["x-ratelimit-limit"]).toBe("100");
    if (code === "forbidden") expect(answer.headers["x-content-security-score"]).toBe("4");
  });

  it("of two long versions compares them in a worker thread, also where Next bundles the code", async () => {
    const [from, to] = [storedOf("large", 0).snapshotId, storedOf("large", 1).snapshotId];
    const path = `/api/v1/vendors/${slugOf("large")}/compare?from=${from}&to=${to}`;
    const { status, text } = await ask(path, { authorization: `Bearer ${keys.starter}` });
    const { diff } = JSON.parse(text);
    expect([status, diff.lines_added, diff.lines_removed]).toEqual([200, 15_000, 15_000]);
    expect(diff.diff_text).toMatch(/\n\\ Lines omitted from this diff: \d+\n$/);
  });

  it("is a 304 for a client with a current copy, and has a HEAD", async () => {
    const authorization = `Bearer ${keys.free}`;
    for (const path of [`/api/v1/vendors/${slugOf("open")}`, `/api/v1/feed?vendor=${slugOf("open")}`]) {
      const again = await revalidate((condition) => ask(path, { authorization, ...condition }));
      expect([again.status, again.text]).toEqual([304, ""]);
      const head = await ask(path, { authorization }, "HEAD");
      expect([head.status, head.text, typeof head.headers.etag]).toEqual([200, "", "string"]);
    }
  });
});

describe("the feeds of changes", () => {
  it.each([
    ["/feed.xml", "application/atom+xml; charset=utf-8"],
    ["/vendors/{slug}/feed.xml", "application/atom+xml; charset=utf-8"],
    ["/feed.json", "application/feed+json; charset=utf-8"],
    ["/vendors/{slug}/feed.json", "application/feed+json; charset=utf-8"],
  ])("%s is %s, with stable validators", async (template, type) => {
    const path = template.replace("{slug}", slugOf("open"));
    const { status, headers, text } = await ask(path);
    expect([status, headers["content-type"]]).toEqual([200, type]);
    for (const part of [`urn:uuid:${storedOf("open", 2).diffId}`, `${inject("baseUrl")}${path}`])
      expect(text).toContain(part);
    expect((await revalidate((condition) => ask(path, condition))).status).toBe(304);
    const since = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toUTCString();
    expect((await ask(path, { "if-modified-since": since(0) })).status).toBe(304);
    expect((await ask(path, { "if-modified-since": since(2) })).status).toBe(200);
  });

  it("ignore filters without a value, refuse invalid ones, and are a 404 for an unknown vendor", async () => {
    expect((await ask("/feed.xml?vendor=&category=&min_significance=&to=")).status).toBe(200);
    expect((await ask("/feed.json?category=x")).status).toBe(400);
    const { status, text } = await ask("/vendors/nobody/feed.xml");
    expect([status, JSON.parse(text).code]).toEqual([404, "not_found"]);
  });
});
