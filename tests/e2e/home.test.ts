import type { Page } from "@playwright/test";
import { describe, expect, inject, it } from "vitest";
import { sites } from "#lib/contract/sites";
import { sizes, type TabOptions, withTab } from "#tests/support/browser";

const visitHome = (options: TabOptions, use: (page: Page) => Promise<void>) =>
  withTab(options, async (page) => {
    await page.goto(inject("baseUrl"));
    await use(page);
  });

const readAnswer = (page: Page) => page.getByRole("group", { name: "Answer" }).innerText();
const command = () => `curl -N ${inject("baseUrl")}/api/v1/replay/developer-tools/explain-sse`;

describe("the home page", () => {
  it("starts playing a cassette of the site's vertical on load", async () => {
    await visitHome({}, async (page) => {
      await page.getByRole("button", { name: "Pause" }).waitFor();
      await expect.poll(() => readAnswer(page)).toContain("one HTTP response");
      expect(await readAnswer(page)).not.toContain("use a WebSocket");
    });
  });

  it("shows answer, command and recent vendor changes without JavaScript, and opens its menu on a phone", async () => {
    await visitHome({ javaScriptEnabled: false }, async (page) => {
      const text = await page.locator("main").innerText();
      // The code replays the cassette in the player.
      const [sdk, model] = [`new Anthropic({ baseURL: "${inject("baseUrl")}"`, "cassette:developer-tools/explain-sse"];
      for (const part of ["one HTTP response", "use a WebSocket", command(), sdk, model]) expect(text).toContain(part);
      const hrefs = await page.locator("ol a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
      expect(
        hrefs.filter((href) => /^\/vendors\/[a-z0-9-]+\/diffs\/[0-9a-f-]{36}$/.test(href ?? "")).length,
      ).toBeGreaterThan(0);

      await page.setViewportSize(sizes.narrow);
      const pricing = page.getByRole("banner").getByRole("link", { name: "Pricing" });
      expect(await pricing.isVisible()).toBe(false);
      await page.getByText("Menu", { exact: true }).click();
      expect(await pricing.isVisible()).toBe(true);
    });
  });

  it("leads to recording tests and to vendors, and tells each site's visitors what it is for, but nothing for operators", async () => {
    await withTab({ javaScriptEnabled: false }, async (page) => {
      const headings = new Set<string>();
      for (const { slug } of sites) {
        await page.goto(`http://${slug}.localhost:${new URL(inject("baseUrl")).port}`);
        const links = page.locator("main section > div > a");
        expect(await links.allInnerTexts()).toEqual(["Record your tests", "Follow your vendors"]);
        expect(await links.evaluateAll((found) => found.map((link) => link.getAttribute("href")))).toEqual([
          "/docs/testing",
          "/vendors",
        ]);
        const text = await page.locator("main").innerText();
        for (const part of ["CRON=on", "npm run up", "Fetching is off"]) expect(text).not.toContain(part);
        headings.add(await page.locator("h1").innerText());
      }
      expect(headings.size).toBe(sites.length);
    });
  });

  it("links to its feeds and to llms.txt in its head", async () => {
    const html = await (await fetch(inject("baseUrl"))).text();
    for (const href of ["/llms.txt", "/feed.xml", "/feed.json"])
      expect(html).toMatch(new RegExp(`<link[^>]*href="${href}"`));
    expect(html).not.toMatch(/ style="/);
  });
});
