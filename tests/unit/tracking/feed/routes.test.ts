import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { jsonFeedSchema } from "#lib/tracking/feed/index";
import { type App, loadApp } from "#tests/support/app-routes";
import { sharedDatabase } from "#tests/support/shared-database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";
import { parseXml, type XmlElement } from "./parse-xml";

const database = sharedDatabase();
let app: App;
beforeAll(async () => {
  vi.stubEnv("DATABASE_URL", database.url);
  vi.stubEnv("LOG_LEVEL", "silent");
  // The environment is read once, so the modules are loaded again with the database configured.
  vi.resetModules();
  app = await loadApp();
});
afterAll(async () => {
  vi.unstubAllEnvs();
});
beforeEach(async () => {
  await database.client.vendor.deleteMany();
});

const origin = "http://tapes.example:3000";

async function ask(path: string, headers: Record<string, string> = {}) {
  const request = new Request(`${origin}${path}`, { headers: { host: "tapes.example:3000", ...headers } });
  const response = await app(request);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const atom = (headers?: Record<string, string>) => ask("/feed.xml", headers);
const vendor = (slug: string, headers?: Record<string, string>) =>
  ask(`/vendors/${encodeURIComponent(slug)}/feed.xml`, headers);
const all = ({ children }: XmlElement, name: string) => children.filter((child) => child.name === name);
const textOf = (element: XmlElement, name: string) => all(element, name)[0]?.text;
const linkOf = (element: XmlElement, rel: string) =>
  all(element, "link").find(({ attributes }) => attributes.rel === rel)?.attributes;

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute));
const page = (count: number) =>
  Array.from({ length: count }, (_, line) => `- [${line}](https://v.example/${line}?a&b)\n`).join("");

/** Adds a vendor with a number of changes, one per minute. */
async function addChanges(slug: string, minute: number, count: number, row: object = {}): Promise<string[]> {
  await addVendor(database.client, { slug, name: slug.toUpperCase(), isPublic: true, at: at(0), ...row });
  const ids: (string | null)[] = [];
  for (let version = 0; version <= count; version++)
    ids.push((await addVersion(database.client, slug, page(version + 1), at(minute + version))).diffId);
  return ids.filter((id) => id !== null);
}

describe("/feed.xml", () => {
  test("is Atom with the changes of all vendors but those of accounts, newest first", async () => {
    const [older] = await addChanges("quarrydb", 1, 1, { category: "cloud" });
    const [newer] = await addChanges("plotwell", 5, 1, { isPublic: false });
    const account = await database.client.account.create({ data: { id: randomUUID(), tier: "pro" } });
    await addChanges("hidden", 7, 1, { accountId: account.id });
    const { status, headers, text } = await atom();
    expect([status, headers.get("content-type")]).toEqual([200, "application/atom+xml; charset=utf-8"]);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    const root = parseXml(text);
    expect([root.name, root.attributes]).toEqual(["feed", { xmlns: "http://www.w3.org/2005/Atom" }]);
    expect(textOf(root, "id")).toBe(`${origin}/feed.xml`);
    expect(linkOf(root, "self")).toMatchObject({ href: `${origin}/feed.xml`, type: "application/atom+xml" });
    expect(textOf(root, "updated")).toBe(at(6).toISOString());
    expect(all(root, "author")).toHaveLength(1);
    const entries = all(root, "entry");
    expect(entries.map((entry) => textOf(entry, "id"))).toEqual([`urn:uuid:${newer}`, `urn:uuid:${older}`]);
    const entry = entries[1] as XmlElement;
    expect(textOf(entry, "title")).toBe("QUARRYDB: 1 line added");
    expect([textOf(entry, "updated"), textOf(entry, "published")]).toEqual([at(2).toISOString(), at(2).toISOString()]);
    expect(linkOf(entry, "alternate")?.href).toBe(`${origin}/vendors/quarrydb/diffs/${older}`);
    expect(linkOf(entry, "via")?.href).toBe("https://quarrydb.example.com/llms.txt");
    expect(linkOf(entry, "related")?.href).toBe(`${origin}/api/v1/diffs/${older}`);
    expect(all(entry, "category")[0]?.attributes.term).toBe("cloud");
    expect(all(entry, "content")[0]).toMatchObject({
      attributes: { type: "html" },
      text: expect.stringContaining('<a href="https://v.example/1?a&amp;b" rel="nofollow noreferrer">'),
    });
  });

  test("with filters names them in its title, and ignores those without a value", async () => {
    const [id] = await addChanges("quarrydb", 1, 1);
    await addChanges("plotwell", 5, 1);
    const read = async (query: string) => parseXml((await ask(`/feed.xml${query}`)).text);
    const titleOf = async (query: string) => textOf(await read(query), "title");
    const filtered = await read("?vendor=QuarryDB&category=&min_significance=&from=2026-11-01&to=");
    expect(all(filtered, "entry").map((entry) => textOf(entry, "id"))).toEqual([`urn:uuid:${id}`]);
    expect(textOf(filtered, "title")).toMatch(/: changes \(vendor quarrydb, from 2026-11-01\)$/);
    expect(await titleOf("?category=api-change&min_significance=3&to=2026-11-02")).toMatch(
      / \(category api-change, significance 3 or more, to 2026-11-02\)$/,
    );
    expect(await titleOf("?category=")).toMatch(/: changes$/);
    expect((await ask("/feed.xml?category=x")).status).toBe(400);
    const json = JSON.parse((await ask("/feed.json?vendor=quarrydb&category=")).text);
    expect(json.title).toMatch(/ \(vendor quarrydb\)$/);
  });

  test("contains the 50 newest changes", async () => {
    const expected: string[] = [];
    for (let vendor = 0; vendor < 6; vendor++) expected.push(...(await addChanges(`v${vendor}`, vendor, 8 + vendor)));
    const ids = all(parseXml((await atom()).text), "entry").map((entry) => textOf(entry, "id")?.slice(9));
    expect(ids).toEqual(expected.sort().reverse().slice(0, 50));
  });

  test("lists the first 25 links of each kind and counts the rest", async () => {
    await addVendor(database.client, { slug: "many", isPublic: true, at: at(0) });
    await addVersion(database.client, "many", "# Many\n", at(1));
    await addVersion(database.client, "many", page(30), at(2));
    const [entry] = all(parseXml((await atom()).text), "entry") as [XmlElement];
    const html = textOf(entry, "content") ?? "";
    expect(html.match(/<a /g)).toHaveLength(25);
    expect(html).toContain("<li>and 5 more</li>");
    expect(textOf(entry, "summary")).toBe("30 lines added, 1 removed; 30 links added.");
  });

  test("is a stable, valid feed without changes", async () => {
    const first = await atom();
    const root = parseXml(first.text);
    expect([first.status, all(root, "entry")]).toEqual([200, []]);
    expect(textOf(root, "updated")).toMatch(/^\d{4}-\d\d-\d\dT00:00:00.000Z$/);
    expect(first.headers.get("last-modified")).toBeNull();
    const again = await atom({
      "if-none-match": first.headers.get("etag") as string,
      "if-modified-since": at(0).toUTCString(),
    });
    expect(again.status).toBe(304);
    expect((await atom({ "if-modified-since": at(0).toUTCString() })).status).toBe(200);
  });
});

describe("conditional requests", () => {
  test("return 304 by ETag until something changes", async () => {
    await addChanges("quarrydb", 1, 1);
    const first = await atom();
    const headers = { "if-none-match": first.headers.get("etag") as string };
    const again = await atom(headers);
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", first.headers.get("etag")]);
    expect(again.headers.get("last-modified")).toBe(first.headers.get("last-modified"));
    expect(again.headers.get("content-type")).toBeNull();
    await addVersion(database.client, "quarrydb", page(9), at(8));
    expect((await atom(headers)).status).toBe(200);
  });

  test("return 304 by date until something changes, unless an ETag is sent", async () => {
    await addChanges("quarrydb", 1, 1);
    const { headers } = await atom();
    const date = headers.get("last-modified") as string;
    expect(date).toBe(at(2).toUTCString());
    const since = async (value: string, more = {}) => (await atom({ "if-modified-since": value, ...more })).status;
    expect(await since(date)).toBe(304);
    expect(await since(new Date(at(2).getTime() - 1_000).toUTCString())).toBe(200);
    expect(await since("yesterday")).toBe(200);
    expect(await since(date, { "if-none-match": '"another"' })).toBe(200);
    await addVersion(database.client, "quarrydb", page(9), at(8));
    expect(await since(date)).toBe(200);
  });
});

describe("/vendors/{slug}/feed.xml", () => {
  test("has only the changes of that vendor, public or not", async () => {
    const ids = await addChanges("quarrydb", 1, 12, { isPublic: false });
    await addChanges("plotwell", 5, 1);
    const { status, headers, text } = await vendor("quarrydb");
    expect([status, headers.get("last-modified")]).toEqual([200, at(13).toUTCString()]);
    const root = parseXml(text);
    expect([textOf(root, "title"), textOf(root, "id")]).toEqual([
      "QUARRYDB: changes",
      `${origin}/vendors/quarrydb/feed.xml`,
    ]);
    expect(all(root, "entry").map((entry) => textOf(entry, "id"))).toEqual(
      ids
        .slice(-10)
        .reverse()
        .map((id) => `urn:uuid:${id}`),
    );
  });

  test("has the vendor's page as its home, also as JSON Feed", async () => {
    const ids = await addChanges("quarrydb", 1, 12, { isPublic: false });
    const root = parseXml((await vendor("quarrydb")).text);
    expect(linkOf(root, "alternate")?.href).toBe(`${origin}/vendors/quarrydb`);
    const { status, text } = await ask("/vendors/quarrydb/feed.json");
    const feed = jsonFeedSchema.parse(JSON.parse(text));
    expect([status, feed.home_page_url, feed.feed_url]).toEqual([
      200,
      `${origin}/vendors/quarrydb`,
      `${origin}/vendors/quarrydb/feed.json`,
    ]);
    expect(feed.items.map(({ id }) => id)).toEqual(
      ids
        .slice(-10)
        .toReversed()
        .map((id) => `urn:uuid:${id}`),
    );
    expect((await ask("/vendors/nobody/feed.json")).status).toBe(404);
  });

  test("has the creation time of a vendor without changes", async () => {
    await addVendor(database.client, { slug: "fresh", at: at(3) });
    const { status, text } = await vendor("fresh");
    expect([status, textOf(parseXml(text), "updated")]).toEqual([200, at(3).toISOString()]);
  });

  test("returns 404 for an unknown vendor or an account's own vendor", async () => {
    const { id: accountId } = await database.client.account.create({ data: { id: crypto.randomUUID(), tier: "pro" } });
    await addVendor(database.client, { slug: "custom", accountId, isPublic: true });
    for (const slug of ["nobody", "custom", "a\0b", "x".repeat(300)]) {
      const { status, text } = await vendor(slug);
      expect([slug.slice(0, 9), status, JSON.parse(text).code]).toEqual([slug.slice(0, 9), 404, "not_found"]);
    }
  });
});

describe("/feed.json", () => {
  test("is JSON Feed 1.1 with the same changes as the Atom feed", async () => {
    await addChanges("quarrydb", 1, 2);
    const { status, headers, text } = await ask("/feed.json");
    expect([status, headers.get("content-type")]).toEqual([200, "application/feed+json; charset=utf-8"]);
    const feed = JSON.parse(text);
    expect(jsonFeedSchema.parse(feed)).toEqual(feed);
    expect([feed.feed_url, feed.home_page_url]).toEqual([`${origin}/feed.json`, `${origin}/changes`]);
    const entries = all(parseXml((await atom()).text), "entry");
    expect(entries).toHaveLength(2);
    expect(feed.items.map(({ id, title, content_html }: Record<string, string>) => [id, title, content_html])).toEqual(
      entries.map((entry) => ["id", "title", "content"].map((name) => textOf(entry, name))),
    );
  });
});
