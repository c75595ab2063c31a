import { describe, expect, test } from "vitest";
import { sites } from "#lib/contract/sites";
import { systemClock } from "#lib/platform/clock";
import {
  changesQuerySchema,
  getAtomFeed,
  getJsonFeed,
  getVendorAtomFeed,
  getVendorJsonFeed,
  jsonFeedSchema,
} from "#lib/tracking/feed/index";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";
import { parseXml, type XmlElement } from "./parse-xml";

const origin = "http://tapes.example:3000";
const fixture = vendorDatabase();

const context = () => ({
  database: fixture.client,
  clock: systemClock,
  site: sites[0],
  origin,
  buildDate: "2026-11-01",
});
const queryOf = (query: Record<string, string>) => ({ query: changesQuerySchema.parse(query) });
const atom = async (query: Record<string, string> = {}) => {
  const { text, changedAt } = await getAtomFeed(context(), queryOf(query));
  return { root: parseXml(text), changedAt };
};
const json = async (query: Record<string, string> = {}) => (await getJsonFeed(context(), queryOf(query))).feed;

const all = ({ children }: XmlElement, name: string) => children.filter((child) => child.name === name);
const textOf = (element: XmlElement, name: string) => all(element, name)[0]?.text;
const linkOf = (element: XmlElement, rel: string) =>
  all(element, "link").find(({ attributes }) => attributes.rel === rel)?.attributes;
const idsOf = (root: XmlElement) => all(root, "entry").map((entry) => textOf(entry, "id"));

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute));
const page = (count: number) =>
  Array.from({ length: count }, (_, line) => `- [${line}](https://v.example/${line}?a&b)\n`).join("");

/** Adds a vendor with a number of changes, one per minute. Returns the ids of their entries. */
async function addChanges(slug: string, minute: number, count: number, row: object = {}): Promise<string[]> {
  await addVendor(fixture.client, { slug, name: slug.toUpperCase(), isPublic: true, at: at(0), ...row });
  const ids: (string | null)[] = [];
  for (let version = 0; version <= count; version++)
    ids.push((await addVersion(fixture.client, slug, page(version + 1), at(minute + version))).diffId);
  return ids.flatMap((id) => (id === null ? [] : `urn:uuid:${id}`));
}

describe("the feed of all changes", () => {
  test("is Atom with those of all vendors but the ones of accounts, newest first, and the same as JSON Feed 1.1", async () => {
    const [older] = await addChanges("quarrydb", 1, 1, { category: "cloud" });
    const [newer] = await addChanges("plotwell", 5, 1, { isPublic: false });
    await addChanges("hidden", 7, 1, { accountId: fixture.accountId });
    const { root, changedAt } = await atom();
    expect([root.name, root.attributes, changedAt]).toEqual(["feed", { xmlns: "http://www.w3.org/2005/Atom" }, at(6)]);
    expect(textOf(root, "id")).toBe(`${origin}/feed.xml`);
    expect(linkOf(root, "self")).toMatchObject({ href: `${origin}/feed.xml`, type: "application/atom+xml" });
    expect([textOf(root, "updated"), all(root, "author").length]).toEqual([at(6).toISOString(), 1]);
    const entries = all(root, "entry");
    expect(idsOf(root)).toEqual([newer, older]);
    const entry = entries[1] as XmlElement;
    expect(textOf(entry, "title")).toBe("QUARRYDB: 1 line added");
    expect([textOf(entry, "updated"), textOf(entry, "published")]).toEqual([at(2).toISOString(), at(2).toISOString()]);
    const id = older?.slice("urn:uuid:".length);
    expect(linkOf(entry, "alternate")?.href).toBe(`${origin}/vendors/quarrydb/diffs/${id}`);
    expect(linkOf(entry, "via")?.href).toBe("https://quarrydb.example.com/llms.txt");
    expect(linkOf(entry, "related")?.href).toBe(`${origin}/api/v1/diffs/${id}`);
    expect(all(entry, "category")[0]?.attributes.term).toBe("cloud");
    expect(all(entry, "content")[0]).toMatchObject({
      attributes: { type: "html" },
      text: expect.stringContaining('<a href="https://v.example/1?a&amp;b" rel="nofollow noreferrer">'),
    });
    const feed = await json();
    expect(jsonFeedSchema.parse(feed)).toEqual(feed);
    expect([feed.feed_url, feed.home_page_url]).toEqual([`${origin}/feed.json`, `${origin}/changes`]);
    expect(feed.items.map((item) => [item.id, item.title, item.content_html])).toEqual(
      entries.map((each) => ["id", "title", "content"].map((name) => textOf(each, name))),
    );
  });

  test("with filters names them in its title", async () => {
    const ids = await addChanges("quarrydb", 1, 1);
    await addChanges("plotwell", 5, 1);
    const titleOf = async (query: Record<string, string>) => textOf((await atom(query)).root, "title");
    const { root } = await atom({ vendor: "QuarryDB", from: "2026-11-01" });
    expect(idsOf(root)).toEqual(ids);
    expect(textOf(root, "title")).toMatch(/: changes \(vendor quarrydb, from 2026-11-01\)$/);
    expect(await titleOf({ category: "api-change", min_significance: "3", to: "2026-11-02" })).toMatch(
      / \(category api-change, significance 3 or more, to 2026-11-02\)$/,
    );
    expect(await titleOf({})).toMatch(/: changes$/);
    expect((await json({ vendor: "quarrydb" })).title).toMatch(/ \(vendor quarrydb\)$/);
  });

  test("contains the 50 newest changes", async () => {
    const expected: string[] = [];
    for (let vendor = 0; vendor < 6; vendor++) expected.push(...(await addChanges(`v${vendor}`, vendor, 8 + vendor)));
    expect(idsOf((await atom()).root)).toEqual(expected.sort().reverse().slice(0, 50));
  });

  test("lists the first 25 links of each kind and counts the rest", async () => {
    await addVendor(fixture.client, { slug: "many", isPublic: true, at: at(0) });
    await addVersion(fixture.client, "many", "# Many\n", at(1));
    await addVersion(fixture.client, "many", page(30), at(2));
    const [entry] = all((await atom()).root, "entry") as [XmlElement];
    const html = textOf(entry, "content") ?? "";
    expect(html.match(/<a /g)).toHaveLength(25);
    expect(html).toContain("<li>and 5 more</li>");
    expect(textOf(entry, "summary")).toBe("30 lines added, 1 removed; 30 links added.");
  });

  test("without changes is valid, with a fixed time", async () => {
    const { root, changedAt } = await atom();
    expect([all(root, "entry"), textOf(root, "updated"), changedAt]).toEqual([[], "2026-11-01T00:00:00.000Z", null]);
  });
});

describe("the feed of a vendor", () => {
  const ofVendor = async (slug: string) => {
    const { text, changedAt } = await getVendorAtomFeed(context(), { params: { slug } });
    return { root: parseXml(text), changedAt };
  };

  test("has its ten newest changes, public or not, and its page as its home", async () => {
    const newest = (await addChanges("quarrydb", 1, 12, { isPublic: false })).slice(-10).reverse();
    await addChanges("plotwell", 5, 1);
    const { root, changedAt } = await ofVendor("quarrydb");
    const home = `${origin}/vendors/quarrydb`;
    expect([textOf(root, "title"), textOf(root, "id"), changedAt]).toEqual([
      ...["QUARRYDB: changes", `${home}/feed.xml`, at(13)],
    ]);
    expect([idsOf(root), linkOf(root, "alternate")?.href]).toEqual([newest, home]);
    const { feed } = await getVendorJsonFeed(context(), { params: { slug: "quarrydb" } });
    expect([feed.home_page_url, feed.feed_url, feed.items.map(({ id }) => id)]).toEqual([
      ...[home, `${home}/feed.json`, newest],
    ]);
  });

  test("without changes has the vendor's creation time", async () => {
    await addVendor(fixture.client, { slug: "fresh", at: at(3) });
    expect(textOf((await ofVendor("fresh")).root, "updated")).toBe(at(3).toISOString());
  });
});
