import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { configuredJobs } from "#lib/jobs/index";
import { accessibilityViolations } from "#tests/support/accessibility";
import { sizes, withTab } from "#tests/support/browser";
import { itExtended } from "#tests/support/extended";
import { withAppDatabase } from "#tests/support/keys";

const job = "verify-fleet";
const dayMs = 24 * 60 * 60 * 1_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

beforeAll(async () => {
  await withAppDatabase(async (database) => {
    await database.runDay.deleteMany({ where: { job } });
    const counts = [
      { day: 3, completed: 2, failed: 0 },
      { day: 4, completed: 1, failed: 1 },
      { day: 5, completed: 0, failed: 1 },
      { day: 95, completed: 7, failed: 0 },
    ];
    const data = counts.map(({ day, ...rest }) => ({ job, day: new Date(daysAgo(day)), ...rest }));
    await database.runDay.createMany({ data });
  });
});
afterAll(async () => {
  await withAppDatabase((database) => database.runDay.deleteMany({ where: { job } }));
});

describe("the history on the page /status", () => {
  it("has a text for each chart and the figures of each day, without JavaScript", async () => {
    await withTab({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${inject("baseUrl")}/status`);
      const chart = page.getByRole("img", { name: `${job}: ` });
      expect(await chart.getAttribute("aria-label")).toBe(`${job}: 1 day ok, 1 partly failed, 1 failed, 87 no data`);
      const text = await page.locator("section[aria-labelledby=history]").innerText();
      expect(text).toContain("3 of 5 runs completed (60 %)");
      await page.getByText("Figures of each day").click();
      const row = page.getByRole("row", { name: daysAgo(4) });
      expect(await row.getByRole("cell", { name: "1, 1 failed" }).count()).toBe(1);
      expect(await page.getByRole("row", { name: daysAgo(95) }).count()).toBe(0);
    });
  });

  itExtended("has no accessibility findings with its figures open", async () => {
    await withTab({ viewport: sizes.narrow }, async (page) => {
      await page.goto(`${inject("baseUrl")}/status`);
      await page.getByText("Figures of each day").click();
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    });
  });
});

it("the status page lists every configured job and site, without JavaScript", async () => {
  await withTab({ javaScriptEnabled: false }, async (page) => {
    await page.goto(`${inject("baseUrl")}/status`);
    const text = await page.locator("main").innerText();
    expect(text).toContain("The service and its database are up.");
    for (const { name } of configuredJobs({})) expect(text).toContain(name);
    expect(await page.getByRole("table", { name: "Sites" }).getByRole("rowheader").count()).toBe(4);
  });
});
