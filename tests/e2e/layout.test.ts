import type { Page } from "@playwright/test";
import { afterAll, describe, expect, inject, it } from "vitest";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { sizes, withPage, withTab } from "#tests/support/browser";
import { eventually } from "#tests/support/eventually";
import { isExtended, itExtended } from "#tests/support/extended";
import { withAppDatabase } from "#tests/support/keys";
import { reportRow } from "#tests/support/vendor-rows";

const base = inject("baseUrl");

const bottomOf = (page: Page, selector: string) =>
  page.$eval(selector, (element) => element.getBoundingClientRect().bottom);

afterAll(removeAppVendors);

describe("what a page is about", () => {
  itExtended("is within the first 800 pixels: the player, and on the home page the link of each use", async () => {
    await withTab({ viewport: sizes.wide, reducedMotion: "reduce" }, async (page) => {
      await page.goto(`${base}/replay/legal/nda-review`);
      expect(await bottomOf(page, "section[aria-label=Player]")).toBeLessThanOrEqual(800);
      const long = "Quarry ".repeat(300);
      const { id, stored } = await addAppVendor({ name: long, isPublic: true }, ["# One\n", "# Two\n"]);
      const report = reportRow({ vendorId: id, diffId: stored[1]?.diffId ?? null, summary: long, significance: 5 });
      await withAppDatabase((database) => database.report.create({ data: report }));
      await expect
        .poll(async () => (await page.goto(base)) && page.locator("main").innerText())
        .toContain(long.slice(0, 70));
      for (const href of ["/docs/testing", "/vendors"])
        expect(await bottomOf(page, `main a[href="${href}"]`)).toBeLessThanOrEqual(800);
    });
  });
});

describe("tabs", () => {
  it("are all visible on a phone", async () => {
    await withTab({ viewport: sizes.narrow }, async (page) => {
      await page.goto(`${base}/replay/legal/nda-review`);
      const list = page.getByRole("tablist", { name: "Language" });
      expect(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    });
  });
});

describe("with forced colours", () => {
  it("only the selected tab is underlined, and all ticks have the colour of text", async () => {
    await withPage({ forcedColors: "active", reducedMotion: "reduce" }, async (page) => {
      await page.goto(`${base}/replay/developer-tools/slow-query-index`);
      const tabs = page.getByRole("tablist", { name: "Language" }).getByRole("tab");
      const lines = await tabs.evaluateAll((all) => all.map((tab) => getComputedStyle(tab).borderBottomColor));
      expect(lines.filter((color) => color === lines[0]).length).toBe(1);
      const [text, tools] = await page.evaluate(() => {
        const path = document.querySelector("[role=slider] path[class*=tool]");
        return [getComputedStyle(document.body).color, path && getComputedStyle(path).stroke];
      });
      expect(tools).toBe(text);
    });
  });
});

describe("cards of a table on a phone", () => {
  it("have labels that wrap beside their values", async () => {
    await withTab({ viewport: sizes.narrow }, async (page) => {
      await page.goto(`${base}/models`);
      const cell = page.locator('td[data-title^="In / out"]').first();
      expect(await cell.evaluate((td) => getComputedStyle(td, "::before").whiteSpace)).toBe("normal");
    });
  });
});

describe("code", () => {
  it.each(isExtended ? ["/docs/quickstart", "/vendors/quarrydb", "/"] : ["/docs/quickstart"])(
    "on %s is never covered by its copy button",
    async (path) => {
      await withTab({}, async (page) => {
        await page.goto(`${base}${path}`);
        for (const viewport of Object.values(sizes)) {
          await page.setViewportSize(viewport);
          const overlaps = await page.locator("main div:has(> div button):has(> pre)").evaluateAll((blocks) =>
            blocks.map((block) => {
              const button = block.querySelector("button")?.getBoundingClientRect();
              const code = block.querySelector("pre")?.getBoundingClientRect();
              return !button || !code || button.bottom > code.top;
            }),
          );
          expect([overlaps.length > 0, overlaps.filter(Boolean)]).toEqual([true, []]);
        }
      });
    },
  );

  itExtended("of a shell wraps on a phone", async () => {
    await withTab({ viewport: sizes.narrow }, async (page) => {
      for (const path of ["/docs/quickstart", "/docs/mcp", "/docs/api/replay"]) {
        await page.goto(`${base}${path}`);
        const wide = await page
          .locator("pre:has-text('curl')")
          .evaluateAll((found) => found.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
        expect([path, wide]).toEqual([path, 0]);
      }
    });
  });
});

/** Lets the browser take the rules for browsers without scroll timelines. */
async function withoutScrollTimelines(page: Page): Promise<void> {
  await page.route("**/*.css", async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll(
      /@supports not \(animation-timeline:\s*scroll\(\)\)/g,
      "@media all",
    );
    await route.fulfill({ response, body });
  });
}

describe("a table that scrolls sideways", () => {
  itExtended("says so on narrow screens also without scroll timelines, unless it stacks", async () => {
    const read = (viewport: { width: number; height: number }, path: string) =>
      withPage({ viewport }, async (page) => {
        await withoutScrollTimelines(page);
        await page.goto(`${base}${path}`);
        return page.locator(".scroll-cue").evaluateAll((cues) => cues.map((cue) => cue.getBoundingClientRect().height));
      });
    expect(new Set(await read(sizes.narrow, "/docs/benchmarks-site"))).toContain(24);
    expect(new Set(await read(sizes.wide, "/docs/benchmarks-site"))).toEqual(new Set([0]));
    expect(new Set(await read(sizes.narrow, "/status"))).toEqual(new Set([0]));
  });

  itExtended("says so, and is reachable by keyboard under a name", async () => {
    await withTab({ viewport: sizes.narrow }, async (page) => {
      await page.goto(`${base}/vendors/quarrydb`);
      for (const [name, scrolls] of [
        ["Snapshots", true],
        ["Changes", false],
      ] as const) {
        const box = page.getByRole("group", { name, exact: true });
        expect(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toBe(scrolls);
        const height = await box.locator(".scroll-cue").evaluate((cue) => cue.getBoundingClientRect().height);
        expect([name, height > 16]).toEqual([name, scrolls]);
        await box.focus();
        expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
      }
    });
  });
});

describe("the menu on a phone", () => {
  it("closes with Escape, which gives the focus back, and after a choice, also of the page that is open", async () => {
    await withTab({ viewport: sizes.narrow }, async (page) => {
      await page.goto(`${base}/vendors`, { waitUntil: "networkidle" });
      const menu = page.locator("header details");
      const isOpen = () => menu.evaluate((element) => (element as HTMLDetailsElement).open);
      await menu.locator("summary").press("Enter");
      await menu.getByRole("link", { name: "Pricing" }).focus();
      await page.keyboard.press("Escape");
      expect(await isOpen()).toBe(false);
      expect(await menu.locator("summary").evaluate((summary) => summary === document.activeElement)).toBe(true);
      for (const name of ["Vendors", "Pricing", "Search"]) {
        await menu.locator("summary").click();
        expect(await isOpen()).toBe(true);
        await menu.getByRole("link", { name, exact: true }).click();
        await eventually(async () => expect([name, await isOpen()]).toEqual([name, false]));
      }
      await page.getByRole("dialog", { name: "Search" }).waitFor();
    });
  });
});

describe("tables of the docs", () => {
  itExtended.each(["/docs/jobs", "/docs/mcp", "/docs/testing", "/docs/benchmarks"])(
    "of text fit on a phone: %s",
    async (path) => {
      await withTab({ viewport: sizes.narrow }, async (page) => {
        await page.goto(`${base}${path}`);
        const tables = page.locator("main table[data-stacks]");
        expect(await tables.count()).toBeGreaterThan(0);
        const hidden = (table: Element) =>
          (table.parentElement?.scrollWidth ?? 0) - (table.parentElement?.clientWidth ?? 0);
        for (const table of await tables.all()) expect(await table.evaluate(hidden)).toBeLessThanOrEqual(0);
        expect(await tables.first().locator("td").first().isVisible()).toBe(true);
      });
    },
  );
});

describe("printed pages", () => {
  it("of a cassette have the whole answer, and no controls", async () => {
    await withTab({ viewport: { width: 700, height: 900 }, reducedMotion: "reduce" }, async (page) => {
      await page.goto(`${base}/replay/developer-tools/slow-query-index`);
      await page.emulateMedia({ media: "print" });
      const cut = await page
        .locator("[role=group][aria-label=Answer], [role=group][aria-label=Prompt]")
        .evaluateAll((boxes) => boxes.map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight));
      expect(cut).toEqual(cut.map(() => 0));
      expect(await page.getByLabel("Speed").isVisible()).toBe(false);
    });
  });

  itExtended("have neither header, footer, buttons nor forms, and all of the code", async () => {
    await withTab({ viewport: { width: 700, height: 900 }, colorScheme: "dark" }, async (page) => {
      await page.goto(`${base}/docs/quickstart`);
      await page.emulateMedia({ media: "print" });
      for (const hidden of ["body > header", "body > footer", "main pre + button", "main button"])
        for (const element of await page.locator(hidden).all())
          expect([hidden, await element.isVisible()]).toEqual([hidden, false]);
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("light");
      const cut = await page
        .locator("main pre")
        .evaluateAll((found) => found.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
      expect(cut).toBe(0);
      await page.goto(`${base}/changes`);
      expect(await page.locator("main form").isVisible()).toBe(false);
    });
  });
});

describe("the theme", () => {
  const backgroundOf = (page: Page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const [light, dark] = ["rgb(250, 248, 244)", "rgb(18, 17, 14)"];

  it("is chosen at the foot of a page and kept, and set before anything is drawn", async () => {
    await withPage({ colorScheme: "light" }, async (page) => {
      const problems: string[] = [];
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto(`${base}/status`);
      expect(await backgroundOf(page)).toBe(light);
      const choice = page.getByLabel("Theme");
      // A choice before the page is hydrated is lost.
      const choose = async (theme: string) => {
        await choice.selectOption("system");
        await choice.selectOption(theme);
        return backgroundOf(page);
      };
      await expect.poll(() => choose("dark")).toBe(dark);
      // With the scripts of React held back, the theme is there already.
      await page.route("**/_next/**/*.js", () => {});
      await page.goto(`${base}/pricing`, { waitUntil: "commit" });
      await page.locator("h1").waitFor();
      expect(await backgroundOf(page)).toBe(dark);
      await page.unroute("**/_next/**/*.js");
      await page.goto(`${base}/docs`);
      await expect.poll(() => choice.inputValue()).toBe("dark");
      expect(await backgroundOf(page)).toBe(dark);
      await choice.selectOption("system");
      expect([await backgroundOf(page), await page.evaluate(() => localStorage.length)]).toEqual([light, 0]);
      expect(problems).toEqual([]);
    });
  });

  itExtended("has no switch without JavaScript, and no inline script", async () => {
    await withTab({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${base}/status`);
      expect(await page.getByLabel("Theme").isVisible()).toBe(false);
    });
    const html = await (await fetch(`${base}/status`)).text();
    expect(html).toMatch(/<script src="\/theme\.js" nonce="[^"]+"><\/script>/);
  });
});
