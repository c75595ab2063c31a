import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { withAppDatabase } from "#tests/support/keys";
import { supportContact } from "#tests/support/start-app";

/** Servers of the same database on which files are fetched, with a contact, or not. */
const [fetching, idle] = [inject("routeUrl"), inject("baseUrl")];
let unfetched: string;
beforeAll(async () => {
  unfetched = (await addAppVendor({ name: "Waiting Inc" })).slug;
});
afterAll(removeAppVendors);

const readHtml = async (origin: string, path: string) => (await fetch(`${origin}${path}`)).text();

/** Returns the text of a page without its scripts, as it is read without JavaScript. */
async function read(origin: string, path: string): Promise<string> {
  const [, main = ""] = /<main\b.*?>(.*)<\/main>/s.exec(await readHtml(origin, path)) ?? [];
  const text = main.replaceAll(/<script\b.*?<\/script>|<!--.*?-->/gs, "").replaceAll(/<[^>]*>/g, " ");
  return text.replaceAll(/\s+/g, " ");
}

describe("a vendor that was never fetched", () => {
  it("is not called active", async () => {
    for (const path of [`/vendors/${unfetched}`, `/vendors?q=${unfetched}`])
      expect(await read(idle, path)).toContain("Not fetched yet");
    const rows = (await readHtml(idle, `/vendors?q=${unfetched}`)).split("<tr");
    const row = rows.find((each) => each.includes("Waiting Inc"));
    expect(row).toContain("Not fetched yet");
    expect(row).not.toContain(">active<");
  });

  it("is fetched next only where fetching is on", async () => {
    expect(await read(fetching, `/vendors/${unfetched}`)).toContain("fetches this file next");
    const text = await read(idle, `/vendors/${unfetched}`);
    expect([text.includes("fetches this file next"), text.includes("Fetching is off")]).toEqual([false, true]);
  });

  it("is counted apart on the pages of all vendors and of the status", async () => {
    expect(await read(idle, "/vendors")).toMatch(/[1-9]\d* not fetched yet/);
    expect(await read(idle, "/status")).toMatch(/Not fetched yet\s+[1-9]\d*/);
  });
});

describe("a server that fetches nothing", () => {
  it.each(["/", "/vendors", "/vendors/quarrydb", "/status"])("says so on %s, and what samples are", async (path) => {
    const [off, on] = [await read(idle, path), await read(fetching, path)];
    expect(on).not.toContain("Fetching is off");
    for (const text of [off, on]) expect(text.match(/(?:is|are) invented/g)).toHaveLength(1);
    // Samples are never fetched anyway.
    const isSaid = path === "/vendors" || path === "/status";
    expect([off.includes("Fetching is off on this server"), off.includes("CRON=on")]).toEqual([
      isSaid,
      path === "/status",
    ]);
  });

  it("shows no fetches of samples, which never happened", async () => {
    const text = await read(idle, "/vendors/quarrydb");
    for (const part of ["last fetched", "HTTP", "Response time", "Last seen"]) expect(text).not.toContain(part);
    const rows = (await readHtml(idle, "/vendors?q=quarrydb")).split("<tr");
    expect(rows.find((row) => row.includes("QuarryDB (sample)"))).toMatch(/>sample<\/td>/);
  });
});

describe("without paid plans", () => {
  it.each(["/pricing", "/key"])("%s names the operator's contact, or the command that creates a key", async (path) => {
    expect(await readHtml(fetching, path)).toMatch(new RegExp(`<a [^>]*href="mailto:${supportContact}"`));
    expect(await read(idle, path)).toContain("npm run -s tapedeck -- keys create --tier pro");
  });

  it("the footer leads to the keys, and the free tier to the quickstart", async () => {
    const html = await readHtml(idle, "/pricing");
    expect(html).toMatch(/<a [^>]*href="\/docs\/quickstart"[^>]*>Start without a key<\/a>/);
    expect(html).toMatch(/<footer\b.*<a [^>]*href="\/key"[^>]*>Your key<\/a>.*<\/footer>/s);
  });

  it("the public vendors are counted", async () => {
    const publicCount = await withAppDatabase((database) =>
      database.vendor.count({ where: { accountId: null, isPublic: true } }),
    );
    // Other tests add public vendors, and counts are up to ten seconds old.
    expect(publicCount).toBeGreaterThan(5);
    expect(await read(idle, "/pricing")).toMatch(/The feed of the \d\d+ public vendors/);
  });
});
