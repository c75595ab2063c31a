import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { BrowserContextOptions, Page } from "@playwright/test";
import { describe, expect, inject, it } from "vitest";
import { parseCassette } from "#lib/replay/cassettes/index";
import { accessibilityViolations } from "#tests/support/accessibility";
import { sizes, withPage } from "#tests/support/browser";
import { itExtended } from "#tests/support/extended";
import { harEntry, harOf } from "#tests/support/har";

const folder = resolve(import.meta.dirname, "../../content/cassettes");
const cassetteFile = (id: string) => readFileSync(resolve(folder, `${id}.json`));
const bodyOf = (id: string) => Buffer.concat(parseCassette(cassetteFile(id)).chunks.map(({ bytes }) => bytes));
const entryOf = (id: string) =>
  harEntry({ url: `https://api.example.com/${id}`, request: {}, text: bodyOf(id).toString() });

type File = { name: string; mimeType: string; buffer: Buffer };
const file = (name: string, content: Buffer | string): File => {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) };
};

/** Opens the page and waits until it takes files. Then nothing may be requested any more, and nothing may violate its policy. */
async function visitWith(options: BrowserContextOptions, use: (page: Page) => Promise<void>) {
  await withPage(options, async (page) => {
    const violations: string[] = [];
    await page.exposeFunction("reportViolation", (directive: string) => violations.push(directive));
    await page.addInitScript(`document.addEventListener("securitypolicyviolation", ({ violatedDirective }) =>
      reportViolation(violatedDirective))`);
    await page.goto(`${inject("baseUrl")}/replay/open`, { waitUntil: "networkidle" });
    await page.locator("[data-ready=true]").waitFor();
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await page.context().setOffline(true);
    await use(page);
    expect(requested).toEqual([]);
    expect(violations).toEqual([]);
  });
}

const visit = (use: (page: Page) => Promise<void>) => visitWith({ reducedMotion: "reduce" }, use);
const choose = (page: Page, chosen: File) => page.getByLabel("Choose a file").setInputFiles(chosen);
const ready = (page: Page) => page.locator("section[aria-label=Player][data-phase=ready]").waitFor();
const answer = (page: Page) => page.getByRole("group", { name: "Answer" }).innerText();

/** Drops a file, as a user drags it from a folder; one of zeros is made in the page, because passing it would take seconds. */
async function drop(page: Page, name: string, content: Buffer | number): Promise<void> {
  const given = typeof content === "number" ? content : content.toString("base64");
  const dataTransfer = await page.evaluateHandle(
    ([fileName, bytes]) => {
      const data = new DataTransfer();
      const part =
        typeof bytes === "number" ? new Uint8Array(bytes) : Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0));
      data.items.add(new File([part], fileName));
      return data;
    },
    [name, given] as const,
  );
  for (const type of ["dragover", "drop"]) await page.dispatchEvent("[data-ready]", type, { dataTransfer });
}

describe("a file on the page /replay/open", () => {
  it("plays when it is dropped, and nothing is requested", async () => {
    await visitWith({}, async (page) => {
      await drop(page, "recorded.json", cassetteFile("developer-tools/slow-query-index"));
      await page.getByRole("button", { name: "Pause" }).waitFor();
      await expect.poll(() => answer(page)).toContain("The index on tenant_id");
      expect(await answer(page)).not.toContain("Calls explain_query");
      await page.getByRole("button", { name: "Pause" }).click();
      expect(new URL(page.url()).search).toBe("");
    });
  });

  itExtended("is an event stream without times, which the page says", async () => {
    await visit(async (page) => {
      await choose(page, file("capture.sse", bodyOf("legal/nda-review")));
      await ready(page);
      expect(await page.getByRole("region", { name: "The opened file" }).innerText()).toContain("even pace");
      await page.getByRole("slider").focus();
      await page.keyboard.press("Home");
      expect(await answer(page)).not.toContain("Term");
      await page.keyboard.press("End");
      expect((await answer(page)).length).toBeGreaterThan(200);
    });
  });

  itExtended("is a HAR file with several answers, of which one is chosen", async () => {
    const har = harOf(entryOf("legal/nda-review"), entryOf("developer-tools/slow-query-index"));
    await visit(async (page) => {
      await choose(page, file("session.har", har));
      await page.getByText("session.har has 2 answers. Choose one.").waitFor();
      await page.getByRole("button", { name: "2: POST https://api.example.com/developer-tools" }).click();
      await ready(page);
      expect(await answer(page)).toContain("tenant_id");
      const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
      expect(await focused()).toContain("2: POST https://api.example.com/developer-tools");
      await page.getByRole("button", { name: "All 2 answers" }).click();
      expect(await focused()).toContain("2: POST https://api.example.com/developer-tools");
      await page.getByRole("button", { name: "1: POST https://api.example.com/legal" }).click();
      await ready(page);
      expect(await answer(page)).not.toContain("tenant_id");
    });
  });

  it("that cannot be played is explained, and the next one plays", async () => {
    await visit(async (page) => {
      await choose(page, file("notes.txt", "nothing"));
      await page.getByRole("alert").getByText("Open an event stream (.sse), a HAR file or a cassette").waitFor();
      await drop(page, "large.sse", 32 * 1024 * 1024 + 1);
      await page.getByRole("alert").getByText("the limit is 33554432 (32 MiB)").waitFor();
      await choose(page, file("good.json", cassetteFile("legal/nda-review")));
      await ready(page);
      expect(await page.getByText("Couldn’t open the file.").count()).toBe(0);
    });
  });

  itExtended("has no accessibility findings and fits both widths when it is open", async () => {
    for (const [viewport, colorScheme] of [
      [sizes.wide, "light"],
      [sizes.narrow, "dark"],
    ] as const) {
      await visitWith({ viewport, colorScheme, reducedMotion: "reduce" }, async (page) => {
        await choose(page, file("capture.sse", bodyOf("finance/working-capital-report")));
        await ready(page);
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      });
    }
  });
});
