import type { Locator, Page } from "@playwright/test";
import { describe, expect, inject, it } from "vitest";
import { accessibilityViolations } from "#tests/support/accessibility";
import { sizes, withPage, withTab } from "#tests/support/browser";
import { deferred } from "#tests/support/deferred";
import { eventually } from "#tests/support/eventually";
import { isExtended, itExtended } from "#tests/support/extended";

const base = inject("baseUrl");
const plain = { javaScriptEnabled: false };

const dialog = (page: Page) => page.getByRole("dialog", { name: "Search" });
const field = (page: Page) => page.getByRole("combobox", { name: "Search" });
const options = (page: Page) => dialog(page).getByRole("option");
const isFocused = (page: Page) => field(page).evaluate((element) => element === document.activeElement);

/** Opens a page, and the search by a key, which works once the page is hydrated. */
async function openSearch(page: Page, path: string, key = "/"): Promise<void> {
  await page.goto(`${base}${path}`);
  await eventually(async () => {
    if ((await dialog(page).count()) === 0) await page.keyboard.press(key);
    expect(await dialog(page).isVisible()).toBe(true);
    expect(await isFocused(page)).toBe(true);
  });
  // On a busy machine, the key may have been pressed again while the dialog opened.
  await field(page).fill("");
}

describe("the search", () => {
  it("opens a result by keyboard alone", async () => {
    await withTab({ viewport: sizes.wide }, async (page) => {
      await openSearch(page, "/pricing");
      await page.keyboard.type("webhook secret rotation");
      await options(page).first().waitFor();
      expect(await field(page).getAttribute("aria-expanded")).toBe("true");
      await page.keyboard.press("ArrowDown");
      const active = await field(page).getAttribute("aria-activedescendant");
      expect(await options(page).first().getAttribute("id")).toBe(active);
      expect(await options(page).first().getAttribute("aria-selected")).toBe("true");
      await eventually(async () => {
        expect(await dialog(page).locator("[role=status]").textContent()).toMatch(/^\d+ results?$/);
      });
      const [title, kind] = await options(page).first().locator("span").allInnerTexts();
      expect(
        await options(page)
          .first()
          .and(page.getByRole("option", { name: `${title} ${kind}`, exact: true }))
          .count(),
      ).toBe(1);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      expect(await dialog(page).count()).toBe(0);
    });
  });

  it("has what was typed while it loaded", async () => {
    await withPage({}, async (page) => {
      await page.goto(`${base}/pricing`);
      const typed = deferred();
      await page.route("**/_next/static/chunks/**", async (route) => {
        await typed.promise;
        await route.continue();
      });
      const pressSlash = () =>
        !document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true }));
      await eventually(async () => expect(await page.evaluate(pressSlash)).toBe(true));
      await page.keyboard.type("web ho");
      typed.resolve();
      await field(page).waitFor();
      await page.keyboard.type("ok");
      await expect.poll(() => field(page).inputValue()).toBe("web hook");
    });
  });

  itExtended("finds vendors by the beginning of their name, before docs and cassettes", async () => {
    await withTab({}, async (page) => {
      await openSearch(page, "/", "Control+k");
      await page.keyboard.type("quarryd");
      await options(page).first().waitFor();
      expect(await options(page).first().innerText()).toContain("QuarryDB (sample) Vendor");
      await options(page).first().click();
      await page.waitForURL(`${base}/vendors/quarrydb`);
    });
  });

  itExtended("keeps its field and hint in view while the results scroll", async () => {
    await withTab({ viewport: { width: 1280, height: 500 } }, async (page) => {
      await openSearch(page, "/vendors");
      await page.keyboard.type("retry after overload");
      await options(page).first().waitFor();
      await page.keyboard.press("ArrowUp");
      expect(await dialog(page).evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
      const box = (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect);
      const hint = page.getByText("Enter in the field shows all results.");
      for (const part of [field(page), hint]) expect((await box(part)).bottom).toBeLessThanOrEqual(500);
      await expect.poll(async () => (await box(options(page).last())).bottom - (await box(hint)).top).toBeLessThan(1);
    });
  });

  itExtended("opens from the header's link, and gives the focus back when it closes", async () => {
    await withTab({ viewport: sizes.wide }, async (page) => {
      const link = page.getByRole("banner").getByRole("link", { name: "Search" });
      await openSearch(page, "/vendors");
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "detached" });
      await link.click();
      await dialog(page).waitFor();
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "detached" });
      expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(new URL(page.url()).pathname).toBe("/vendors");
      await link.click();
      await dialog(page).waitFor();
      await page.mouse.click(5, 5);
      await dialog(page).waitFor({ state: "detached" });
    });
  });

  itExtended("does not take a slash from a field, and opens once", async () => {
    await withTab({ viewport: sizes.wide }, async (page) => {
      await openSearch(page, "/vendors");
      await page.keyboard.type("a/b");
      expect(await field(page).inputValue()).toBe("a/b");
      await page.keyboard.press("Control+k");
      expect(await dialog(page).count()).toBe(1);
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "detached" });
      await page.getByLabel("Name or domain").focus();
      await page.keyboard.type("/");
      expect([await page.getByLabel("Name or domain").inputValue(), await dialog(page).count()]).toEqual(["/", 0]);
    });
  });

  it("finds words while they are typed, and says if nothing is found or the search fails", async () => {
    await withPage({ viewport: sizes.narrow }, async (page) => {
      await openSearch(page, "/status");
      await page.keyboard.type("webho");
      await options(page).first().waitFor();
      expect(await options(page).first().innerText()).toMatch(/webhook/i);
      if (isExtended) expect(await accessibilityViolations(page)).toEqual([]);
      await field(page).fill("zzzqqq");
      await dialog(page).getByText("No results").waitFor();
      await page.route("**/api/v1/search?**", (route) => route.abort());
      await page.keyboard.type(" replay");
      await dialog(page).getByText("Press Enter to try the search page").waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    });
  });

  itExtended("shows titles and snippets as plain text", async () => {
    await withPage({}, async (page) => {
      const hostile = '<img src=x onerror="window.broken = true"><b>bold</b>';
      const hit = { id: "docs/x", kind: "page", title: hostile, url: "javascript:broken=1", snippet: hostile };
      const vendor = { ...hit, id: "vendors/x", kind: "vendor" };
      await page.route("**/api/v1/search?**", (route) => route.fulfill({ json: { hits: [hit, vendor] } }));
      await openSearch(page, "/docs");
      await page.keyboard.type("anything");
      await options(page).nth(1).waitFor();
      for (const option of await options(page).all()) expect(await option.innerText()).toContain(hostile);
      expect(await options(page).locator("img, b").count()).toBe(0);
      expect(await page.evaluate(() => "broken" in window)).toBe(false);
    });
  });

  itExtended(
    "is a link to the results page without JavaScript, which finds vendors too and shows the query as plain text",
    async () => {
      await withTab({ ...plain, viewport: sizes.wide }, async (page) => {
        await page.goto(`${base}/pricing`);
        await page.getByRole("banner").getByRole("link", { name: "Search" }).click();
        await page.waitForURL(`${base}/docs/search-results`);
        expect(await page.locator("h1").innerText()).toBe("Search");
        await page.getByRole("searchbox", { name: "Search" }).fill("rate limit");
        await page.getByRole("button", { name: "Go" }).click();
        await page.waitForURL(({ search }) => search.includes("rate"));
        expect(await page.getByRole("searchbox").inputValue()).toBe("rate limit");
        const [first] = await page.locator("main ol a").all();
        expect(await page.locator("main").innerText()).toMatch(/\d+ results for “rate limit”/);
        await first?.click();
        await page.waitForURL(({ pathname }) => /^\/(docs(?!\/search-results)|replay)/.test(pathname));
        await page.goto(`${base}/docs/search-results?q=quarrydb`);
        expect(await page.locator("main ol a").first().getAttribute("href")).toBe("/vendors/quarrydb");
        await page.goto(`${base}/docs/search-results?q=${encodeURIComponent("<h2>zzz</h2>")}`);
        expect(await page.locator("main").innerText()).toContain("“<h2>zzz</h2>”");
        expect(await page.getByRole("searchbox").inputValue()).toBe("<h2>zzz</h2>");
        expect(await page.getByText("No results").count()).toBe(1);
      });
    },
  );
});
