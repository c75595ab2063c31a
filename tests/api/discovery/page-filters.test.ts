import { expect, inject, it } from "vitest";

const page = (path: string) => fetch(`${inject("baseUrl")}${path}`, { headers: { accept: "text/html" } });

const textOf = async (path: string) => (await (await page(path)).text()).replaceAll("<!-- -->", "");

it.each(["/models", "/vendors", "/replay?vertical=all"])(
  "%s names a page beyond the last, and unknown parameters",
  async (path) => {
    const separator = path.includes("?") ? "&" : "?";
    const text = await textOf(`${path}${separator}page=999&colour=red`);
    expect(text).toMatch(/There is no page 999: the last one is \d+\./);
    expect(text).toContain("The parameter “colour” is ignored: this page has ");
    expect(text).not.toContain("No matching");
  },
);

it("a list of versions names a cursor that is none", async () => {
  const slug = /href="\/vendors\/([a-z0-9-]+)"/.exec(await textOf("/vendors"))?.[1];
  expect(await textOf(`/vendors/${slug}/snapshots?cursor=2`)).toContain(
    "“cursor=2” is ignored: it must be the cursor of a link",
  );
});

it.each([
  ["/models?status=gone&provider=nobody", ["status=gone", "provider=nobody"]],
  ["/vendors?category=nope&sort=size", ["category=nope", "sort=size"]],
  ["/changes?min_significance=9&from=2026-13-01", ["min_significance=9", "from=2026-13-01"]],
  ["/replay?end=never", ["end=never"]],
])("%s names the filters that are not valid, and shows the list without them", async (path, filters) => {
  const [whole, response] = await Promise.all([page(path.replace(/\?.*/, "")), page(path)]);
  const text = (await response.text()).replaceAll("<!-- -->", "");
  expect(response.status).toBe(200);
  for (const filter of filters) expect(text).toContain(`The filter “${filter}” is ignored: it must be `);
  const rowsOf = (html: string) => (html.split("<main")[1] ?? "").match(/<tr|<li|<article/g)?.length ?? 0;
  expect(rowsOf(text)).toBeGreaterThan(0);
  expect(rowsOf(text)).toBe(rowsOf(await whole.text()));
});

it("/changes says that a vendor was never fetched, and names those that an unknown vendor may stand for", async () => {
  const unfetched = await textOf("/changes?vendor=OpenAI");
  expect(unfetched).toContain("The vendor &quot;openai&quot; has not been fetched yet");
  expect(unfetched).not.toContain("No matching changes");
  const unknown = await textOf(`/changes?${new URLSearchParams({ vendor: "Open AI,quarry-db", from: "2001-01-01" })}`);
  for (const slug of ["openai", "quarrydb"]) expect(unknown).toContain(`/changes?vendor=${slug}&amp;from=2001-01-01`);
});

it.each([
  ["/changes", "Changes · "],
  ["/changes?vendor=quarrydb&from=2001-01-01", "Changes (vendor quarrydb, from 2001-01-01) · "],
  ["/vendors/quarrydb/compare", "QuarryDB (sample): compare versions of "],
  ["/follow", "Follow vendors · "],
])("%s has a title of its own", async (path, title) => {
  const text = await textOf(path);
  expect(text).toContain(`<title>${title}`);
  const [, description] = /<meta name="description" content="([^"]+)"/.exec(text) ?? [];
  expect(text).toContain(`<meta property="og:description" content="${description}"`);
  expect(description).not.toBe(/<meta name="description" content="([^"]+)"/.exec(await textOf("/"))?.[1]);
});

it("/follow names the other ways on a server that sends no mail", async () => {
  const text = await textOf("/follow");
  for (const part of ['href="/feed.xml"', 'href="/docs/webhooks"', "This server sends no mail"])
    expect(text).toContain(part);
  expect(text).not.toMatch(/by e-mail/);
});
