import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { withTab } from "#tests/support/browser";
import { withAppDatabase } from "#tests/support/keys";
import { supportContact } from "#tests/support/start-app";

/** Servers of the same database on which files are fetched, with a contact, or not. */
const [fetching, idle] = [inject("routeUrl"), inject("baseUrl")];
let unfetched: string;
beforeAll(async () => {
  unfetched = (await addAppVendor({ name: "Waiting Inc" })).slug;
});
afterAll(removeAppVendors);

const read = (origin: string, path: string) =>
  withTab({ javaScriptEnabled: false }, async (page) => {
    await page.goto(`${origin}${path}`);
    return page.locator("main").innerText();
  });

describe("a vendor that was never fetched", () => {
  it("is not called active", async () => {
    for (const path of [`/vendors/${unfetched}`, `/vendors?q=${unfetched}`]) {
      const text = await read(idle, path);
      expect([path, text.includes("Not fetched yet")]).toEqual([path, true]);
    }
    await withTab({}, async (page) => {
      await page.goto(`${idle}/vendors?q=${unfetched}`);
      const row = page.getByRole("row", { name: "Waiting Inc" });
      expect(await row.getByText("active", { exact: true }).count()).toBe(0);
    });
  });

  it("is fetched next only where fetching is on", async () => {
    expect(await read(fetching, `/vendors/${unfetched}`)).toContain("fetches this file next");
    const text = await read(idle, `/vendors/${unfetched}`);
    expect([text.includes("fetches this file next"), text.includes("CRON=on npm run up")]).toEqual([false, true]);
  });

  it("is counted apart on the pages of all vendors and of the status", async () => {
    const { count } = await withAppDatabase(async (database) => ({
      count: await database.vendor.count({ where: { accountId: null, status: "active", latestSnapshotId: null } }),
    }));
    expect(count).toBeGreaterThan(0);
    expect(await read(idle, "/vendors")).toMatch(/\d+ not fetched yet/);
    expect(await read(idle, "/status")).toMatch(/Not fetched yet\s+\d+/);
  });
});

describe("a server that fetches nothing", () => {
  it.each(["/", "/vendors", "/vendors/quarrydb", "/status"])("says so on %s, and what samples are", async (path) => {
    const [off, on] = [await read(idle, path), await read(fetching, path)];
    expect(on).not.toContain("Fetching is off");
    for (const text of [off, on]) expect(text.match(/(?:is|are) made up/g)).toHaveLength(1);
    // A sample is never fetched anyway.
    if (path !== "/vendors/quarrydb") expect(off).toContain("Fetching is off on this server");
  });
});

describe("without paid plans", () => {
  it("the pages name the operator's contact", async () => {
    for (const path of ["/pricing", "/key"]) {
      await withTab({ javaScriptEnabled: false }, async (page) => {
        await page.goto(`${fetching}${path}`);
        const contact = page.getByRole("link", { name: supportContact });
        expect(await contact.getAttribute("href")).toBe(`mailto:${supportContact}`);
      });
    }
  });

  it("the pages show the command that creates a key on one's own machine", async () => {
    for (const path of ["/pricing", "/key"])
      expect(await read(idle, path)).toContain("npm run -s tapedeck -- keys create --tier pro");
  });

  it("the header leads to the keys, and the free tier to the quickstart", async () => {
    await withTab({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${idle}/pricing`);
      expect(await page.getByRole("link", { name: "Start without a key" }).getAttribute("href")).toBe(
        "/docs/quickstart",
      );
      const keys = page.getByRole("banner").getByRole("link", { name: "Keys", exact: true });
      expect(await keys.first().getAttribute("href")).toBe("/key");
    });
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
