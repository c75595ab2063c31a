import type { Page } from "@playwright/test";
import { describe, expect, inject, it } from "vitest";
import { accessibilityViolations } from "#tests/support/accessibility";
import { type TabOptions, withPage, withTab } from "#tests/support/browser";
import { deferred } from "#tests/support/deferred";
import { itExtended } from "#tests/support/extended";

const still: TabOptions = { reducedMotion: "reduce" };

const visitWith = (options: TabOptions, path: string, use: (page: Page) => Promise<void>) =>
  withTab(options, async (page) => {
    await page.goto(`${inject("baseUrl")}${path}`);
    await use(page);
  });
const visit = (path: string, use: (page: Page) => Promise<void>) => visitWith(still, path, use);

const cassette = "/replay/developer-tools/slow-query-index";
const player = (page: Page) => page.locator("section[aria-label=Player]");
const ready = (page: Page) => page.locator("section[aria-label=Player][data-phase=ready]").waitFor();
const slider = (page: Page) => page.getByRole("slider");
const status = (page: Page) => player(page).getByRole("status");
const readPosition = async (page: Page) => Number(await slider(page).getAttribute("aria-valuenow"));
const readAnswer = (page: Page) => page.getByRole("group", { name: "Answer" }).innerText();

describe("the player", () => {
  it("starts on load, streams text in, and pauses on request", async () => {
    await visitWith({}, cassette, async (page) => {
      await page.getByRole("button", { name: "Pause" }).waitFor();
      await expect.poll(() => readAnswer(page)).toContain("The index on tenant_id");
      expect(await readAnswer(page)).not.toContain("Calls explain_query");
      expect(await status(page).textContent()).toBe("Playing");
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Play", exact: true }).waitFor();
      expect(await status(page).textContent()).toBe("Paused");
      await page.waitForURL(/[?&]t=\d/);
    });
  });

  itExtended("keeps a position that the user chose while the events were loading", async () => {
    await withTab({}, async (page) => {
      const released = deferred();
      await page.route("**/api/v1/replay/**", (route) => released.promise.then(() => route.continue()));
      await page.goto(`${inject("baseUrl")}${cassette}`);
      await expect
        .poll(async () => {
          await page.keyboard.press("ArrowLeft");
          return readPosition(page);
        })
        .toBeLessThan(19);
      const chosen = await readPosition(page);
      released.resolve();
      await ready(page);
      expect(await page.getByRole("button", { name: "Play", exact: true }).count()).toBe(1);
      expect(await readPosition(page)).toBe(chosen);
    });
  });

  itExtended("shows the caret after the last character while playing, and only there", async () => {
    await visitWith({}, `${cassette}?t=2&autoplay=1&speed=0.25`, async (page) => {
      await page.getByRole("button", { name: "Pause" }).waitFor();
      const carets = await page.getByRole("group", { name: "Answer" }).evaluate((pane) => {
        const own = [...pane.querySelectorAll("*")].filter((one) => getComputedStyle(one, "::after").content === '""');
        return own.map(({ tagName, textContent }) => ({ tagName, isLast: pane.textContent?.endsWith(textContent) }));
      });
      expect(carets).toEqual([{ tagName: "P", isLast: true }]);
      await page.getByRole("button", { name: "Pause" }).click();
      const playing = page.getByRole("group", { name: "Answer" }).and(page.locator("[class*=playing]"));
      await expect.poll(() => playing.count()).toBe(0);
    });
  });

  itExtended("doesn't start with reduced motion, and shows the complete answer", async () => {
    await visit(cassette, async (page) => {
      await ready(page);
      expect(await page.getByRole("button", { name: "Play", exact: true }).count()).toBe(1);
      expect(await readAnswer(page)).toContain("Calls explain_query");
    });
  });

  it("takes position and speed from the URL, and shows the answer up to that position", async () => {
    await visit(`${cassette}?t=16&speed=4`, async (page) => {
      await ready(page);
      expect(await readPosition(page)).toBe(16);
      expect(await page.getByLabel("Speed").inputValue()).toBe("4");
      const answer = await readAnswer(page);
      expect(answer).toContain("The plan uses an index");
      expect(answer).not.toContain("Calls propose_migration");
      expect(await slider(page).getAttribute("aria-valuetext")).toMatch(/^16\.0 of 21\.8 seconds, chunk 156 of 287/);
    });
  });

  it("can be used by keyboard alone, and keeps its state in the URL", async () => {
    await visit(`${cassette}?t=5`, async (page) => {
      await ready(page);
      await page.keyboard.press("ArrowRight");
      await page.waitForURL(/t=6(&|$)/);
      await page.keyboard.press(".");
      const at = await readPosition(page);
      expect(at).toBeGreaterThanOrEqual(6);
      await page.keyboard.press(">");
      await page.waitForURL(/speed=2/);
      await slider(page).focus();
      await page.keyboard.press("End");
      await page.waitForURL(/t=21\.755/);
      await page.keyboard.press("Home");
      await page.waitForURL(/t=0(&|$)/);
      await page.keyboard.press(" ");
      await page.getByRole("button", { name: "Pause" }).waitFor();
      await page.keyboard.press(" ");
      await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    });
  });

  itExtended("scrubs on the timeline, and describes the chunk under the pointer", async () => {
    await visit(`${cassette}?t=0`, async (page) => {
      await ready(page);
      const box = await slider(page).boundingBox();
      if (!box) throw new Error("The timeline is not visible.");
      await page.mouse.move(box.x + box.width / 2, box.y + 10);
      await expect
        .poll(() => player(page).innerText())
        .toMatch(/chunk \d+ of 287 · 10\.\d{3} s · \+\d+ ms · \d+ bytes/);
      expect(await readPosition(page)).toBe(0);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.75, box.y + 10);
      await page.mouse.up();
      await expect.poll(() => readPosition(page)).toBeGreaterThan(14);
    });
  });

  itExtended("marks the current raw event, and seeks to a clicked one", async () => {
    await visit(`${cassette}?t=21.755`, async (page) => {
      await ready(page);
      const events = page.getByRole("group", { name: "Raw events" });
      expect(await events.locator("[aria-current]").innerText()).toContain("message_stop");
      const chosen = events.locator("li").nth(-30);
      const time = (await chosen.innerText()).slice(0, "20.325".length);
      await chosen.locator("button").click();
      // If several events arrived in one chunk, the last one is marked.
      await expect.poll(() => events.locator("[aria-current]").innerText()).toContain(time);
      expect(await readPosition(page)).toBe(Number(Number(time).toFixed(1)));
    });
  });

  it("shows the complete answer and an error if the events can't be loaded", async () => {
    await withPage(still, async (page) => {
      await page.route("**/api/v1/replay/**", (route) => route.fulfill({ status: 503, body: "{}" }));
      await page.goto(`${inject("baseUrl")}${cassette}`);
      await page.getByRole("alert").filter({ hasText: "Couldn’t load" }).waitFor();
      expect(await readAnswer(page)).toContain("Calls explain_query");
    });
  });

  it("shows answer, metadata and code without JavaScript", async () => {
    const html = await (await fetch(`${inject("baseUrl")}${cassette}`)).text();
    const text = html.replaceAll(/<script\b.*?<\/script>|<!--.*?-->|<[^>]*>/gs, "");
    for (const part of ["The plan uses an index", "propose_migration", "287 chunks", "curl -N", "urllib", "synthetic"])
      expect([part, text.includes(part)]).toEqual([part, true]);
  });
});

describe("the player's layout", () => {
  const places = [
    "/replay/developer-tools/slow-query-index?t=21.7",
    "/replay/finance/working-capital-report?t=11.9",
    "/replay/developer-tools/ci-diagnosis-overloaded?autoplay=0",
    "/embed/small-business/card-reader-fees?t=12",
    "/replay?vertical=all",
  ];
  const screens: TabOptions[] = [
    { colorScheme: "light", viewport: { width: 1280, height: 800 } },
    { colorScheme: "dark", viewport: { width: 390, height: 844 } },
  ];
  itExtended.each(places)("%s has no accessibility findings and no sideways scrolling", async (path) => {
    for (const screen of screens) {
      await visitWith({ ...still, ...screen }, path, async (page) => {
        if (!path.startsWith("/replay?")) await ready(page);
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      });
    }
  });
});

describe("the embedded player", () => {
  it("plays in an iframe, without the site's header and footer", async () => {
    await visit("/status", async (page) => {
      await page.setContent(
        `<iframe src="${inject("baseUrl")}/embed/developer-tools/explain-sse?t=4&theme=dark" width="600" height="420"></iframe>`,
      );
      const frame = page.frameLocator("iframe");
      await frame.locator("section[aria-label=Player][data-phase=ready]").waitFor();
      expect(await frame.getByRole("navigation").count()).toBe(0);
      await frame.getByRole("button", { name: "Play", exact: true }).click();
      await frame.getByRole("button", { name: "Pause" }).waitFor();
    });
  });
});

describe("an error at the end of a long answer", () => {
  it("is in view on a phone, and the playhead does not cover its tick", async () => {
    for (const end of ["speed=max", "autoplay=0"])
      await visitWith(
        { viewport: { width: 390, height: 844 } },
        `/replay/developer-tools/ci-diagnosis-overloaded?${end}`,
        async (page) => {
          await ready(page);
          await expect.poll(() => readPosition(page)).toBeGreaterThan(1);
          const text = end === "speed=max" ? "Ended with overloaded_error" : "";
          await expect.poll(() => status(page).textContent()).toBe(text);
          const [error, box] = [page.getByText("Error in the stream"), page.getByRole("group", { name: "Answer" })];
          const [of, within] = [await error.boundingBox(), await box.boundingBox()];
          expect([of!.y > within!.y, of!.y + of!.height < within!.y + within!.height]).toEqual([true, true]);
          const right = (selector: string) =>
            page.locator(selector).evaluate((line) => line.getBoundingClientRect().left);
          const slider = await page.getByRole("slider").boundingBox();
          expect(slider!.x + slider!.width - (await right("[role=slider] > span:last-of-type"))).toBeGreaterThan(4);
        },
      );
  });
});

describe("an embedded player that was not started", () => {
  it("is at the end with the whole answer, and streams it from the start when it plays", async () => {
    await visit("/embed/developer-tools/slow-query-index", async (page) => {
      await ready(page);
      const slider = page.getByRole("slider");
      expect(await readPosition(page)).toBeCloseTo(Number(await slider.getAttribute("aria-valuemax")), 1);
      expect(await readAnswer(page)).toContain("The index on tenant_id");
      await page.getByLabel("Speed").selectOption("0.25");
      await page.getByRole("button", { name: "Play", exact: true }).click();
      await expect.poll(() => readAnswer(page)).not.toContain("Calls explain_query");
    });
  });
});

describe("a link to a moment", () => {
  itExtended("has the position of the playhead, and opens there", async () => {
    await withPage({ ...still, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      await page.goto(`${inject("baseUrl")}${cassette}?t=14&autoplay=1#code`);
      await ready(page);
      await page.keyboard.press("ArrowLeft");
      await page.getByRole("button", { name: "Copy link to this moment" }).click();
      await page.getByText("Copied").waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      expect(link).toBe(`${inject("baseUrl")}${cassette}?t=13`);
      await page.goto(link);
      await ready(page);
      expect(await readPosition(page)).toBe(13);
      expect(await page.getByRole("button", { name: "Play", exact: true }).count()).toBe(1);
    });
  });
});

describe("the gallery", () => {
  it("says once that a cassette is authored", async () => {
    const html = await (await fetch(`${inject("baseUrl")}/replay?vertical=legal`)).text();
    expect([html.includes(">authored</span>"), />[^<]*\(authored\)</.test(html)]).toEqual([true, false]);
  });

  itExtended("filters by its form without JavaScript, and by its URL", async () => {
    await visitWith({ javaScriptEnabled: false }, "/replay", async (page) => {
      await page.getByLabel("Vertical").selectOption("all");
      await page.getByLabel("End", { exact: true }).selectOption("error");
      await page.getByRole("button", { name: "Filter" }).click();
      await page.waitForURL(({ searchParams }) => searchParams.get("end") === "error");
      expect(await page.locator("main h2").allInnerTexts()).toEqual(["A CI diagnosis cut off by overloaded_error"]);
      await page.goto(`${inject("baseUrl")}/replay?vertical=legal&end=truncated`);
      expect(await page.locator("main").innerText()).toContain("No matching cassettes.");
    });
  });
});
