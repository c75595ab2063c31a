import type { Browser, Page, Request } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { systemClock } from "#lib/platform/clock";
import { openBrowser, sizes, withPage } from "#tests/support/browser";
import { issueKey } from "#tests/support/keys";
import { type Served, serve } from "#tests/support/serve";
import { StripeDouble } from "#tests/support/stripe-double";
import { testKeys } from "#tests/support/webhook-keys";

const base = inject("baseUrl");
/** For what a busy machine may need several goes at, in milliseconds. */
const longWait = { timeout: 20_000, interval: 100 };
const paying = "https://checkout.stripe.com/**";

let browser: Browser;
let double: StripeDouble;
/** An app that sells, and keeps the secrets of webhooks. */
let shop: Served;
beforeAll(async () => {
  browser = await openBrowser();
  double = await StripeDouble.start(systemClock);
  shop = await serve("node", {
    ...double.environment,
    ENCRYPTION_KEYS: testKeys.map((key) => key.toString("base64")).join(","),
    DATABASE_URL: inject("databaseUrl"),
    LOG_LEVEL: "error",
  });
});
afterAll(async () => {
  await browser.close();
  await shop.stop();
  await double.close();
});

/** Moves the focus on with Tab until it stands on a control of that name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement?.textContent)) === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** Answers in the place of the payment provider's page, and gives the session that was begun. */
async function sessionOf(page: Page, buy: () => Promise<void>): Promise<string> {
  await page.route(paying, (route) => route.fulfill({ contentType: "text/html", body: "<h1>Pay</h1>" }));
  await Promise.all([page.waitForURL(paying), buy()]);
  return new URL(page.url()).pathname.split("/").at(-1) as string;
}

describe("the pricing", () => {
  it("leads by the keyboard alone to the checkout and back to the key, which works", async () => {
    await withPage(browser, { viewport: sizes.wide }, async (page) => {
      await page.goto(`${shop.origin}/pricing`, { waitUntil: "networkidle" });
      const session = await sessionOf(page, async () => {
        await tabTo(page, "Buy Pro");
        await page.keyboard.press("Enter");
      });
      const cookies = await page.context().cookies(shop.origin);
      expect(cookies.find(({ name }) => name === "tapedeck_checkout")).toMatchObject({
        httpOnly: true,
        sameSite: "Lax",
      });

      await page.goto(`${shop.origin}/welcome?session_id=${session}`);
      expect(await page.locator("h1").innerText()).toBe("The payment is not finished.");
      double.world.complete(session);
      await tabTo(page, "Look again");
      await page.keyboard.press("Enter");
      await page.getByText("Your key is ready").waitFor();
      await tabTo(page, "Show my key");
      await page.keyboard.press("Enter");
      const [key] = /ltf_[0-9A-Za-z]{38}/.exec(await page.locator("pre").innerText()) ?? [];
      const { status } = await fetch(`${shop.origin}/api/v1/webhooks`, { headers: { authorization: `Bearer ${key}` } });
      expect(status).toBe(200);
    });
  });

  it("buys without JavaScript, too: its forms are plain ones", async () => {
    await withPage(browser, { javaScriptEnabled: false, viewport: sizes.narrow }, async (page) => {
      await page.goto(`${shop.origin}/pricing`);
      const form = page.locator("form", { has: page.getByRole("button", { name: "Buy Starter" }) });
      const fields = await form.evaluate(
        (element) => [...new FormData(element as HTMLFormElement)] as [string, string][],
      );
      const answer = await page.request.post(`${shop.origin}/pricing`, {
        headers: { origin: shop.origin },
        multipart: Object.fromEntries(fields),
        maxRedirects: 0,
      });
      expect([answer.status(), answer.headers().location]).toEqual([303, expect.stringContaining("/c/pay/cs_")]);
      expect(answer.headers()["set-cookie"]).toMatch(/^tapedeck_checkout=[\w-]{43}; /);
      const foreign = { origin: "https://evil.example" };
      const forged = await page.request.post(`${shop.origin}/pricing`, {
        headers: foreign,
        multipart: Object.fromEntries(fields),
        maxRedirects: 0,
      });
      expect([forged.status() >= 400, forged.headers()["set-cookie"]]).toEqual([true, undefined]);
    });
  });

  it("says what happened where the payment provider fails", async () => {
    double.mode = "cut";
    try {
      await withPage(browser, { javaScriptEnabled: false }, async (page) => {
        await page.goto(`${shop.origin}/pricing`);
        await page.getByRole("button", { name: "Buy Pro" }).click();
        await page.getByText("The purchase of Pro could not begin.").waitFor();
      });
    } finally {
      double.mode = "fine";
    }
  });

  it("offers no button where nothing is sold, and tells all five tiers on a phone", async () => {
    await withPage(browser, { javaScriptEnabled: false, viewport: sizes.narrow }, async (page) => {
      await page.goto(`${base}/pricing?failed=%3Cb%3E`);
      expect(await page.locator("main form").count()).toBe(0);
      const text = await page.locator("main").innerText();
      expect(text).toContain("Nothing is sold on this site.");
      expect(text).not.toContain("could not begin");
      for (const price of ["$0", "$29", "$99", "$499", "$999"]) expect(text).toContain(price);
      expect(await page.getByRole("rowheader").allInnerTexts()).toHaveLength(5);
    });
  });
});

/** Everything that a browser keeps or sends of a page, but for its session storage and the header that carries the key. */
async function tracesOf(page: Page, requests: Request[]): Promise<string> {
  const kept = await page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }, location.href]));
  const cookies = await page.context().cookies();
  const sent = requests.map((request) => [request.url(), request.headers().cookie, request.headers().referer]);
  return JSON.stringify([kept, cookies, sent]);
}

async function lookUp(page: Page, key: string): Promise<Request[]> {
  const requests: Request[] = [];
  page.on("request", (request) => requests.push(request));
  await page.goto(`${shop.origin}/key`, { waitUntil: "networkidle" });
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  return requests;
}

describe("the page of a key", () => {
  it("shows tier and usage, rotates, and leaves the key nowhere but in the session", async () => {
    const { key } = await issueKey("starter");
    await withPage(browser, { viewport: sizes.wide }, async (page) => {
      const requests = await lookUp(page, key);
      await page.getByText("of 5,000 used").waitFor();
      expect(await page.locator("main").innerText()).toMatch(/Tier\s+Starter[\s\S]*1 of 5,000 used, 4,999 left/);
      expect(await page.getByText("Webhooks are part of Pro.").count()).toBe(1);

      await page.getByLabel("stops working at once").check();
      await page.getByRole("button", { name: "Rotate key" }).click();
      await page.getByRole("button", { name: "Rotate now" }).click();
      const shown = page.getByRole("region", { name: "Your new key, shown this once" });
      await shown.waitFor();
      const [rotated = ""] = /ltf_[0-9A-Za-z]{38}/.exec(await shown.locator("pre").innerText()) ?? [];
      const statusWith = async (given: string) =>
        (await fetch(`${base}/api/v1/cron/status`, { headers: { authorization: `Bearer ${given}` } })).status;
      expect([await statusWith(key), await statusWith(rotated)]).toEqual([401, 200]);
      expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).toContain(rotated);

      const traces = await tracesOf(page, requests);
      for (const secret of [key, rotated]) expect(traces.includes(secret)).toBe(false);
      await shown.getByRole("button", { name: "I have stored it" }).click();
      expect(await page.content()).not.toContain(rotated);
      await page.getByRole("button", { name: "Forget key" }).click();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    });
  });

  it("says in words what is wrong with a key", async () => {
    await withPage(browser, {}, async (page) => {
      await lookUp(page, "ltf_short");
      await page.getByText("A key begins with ltf_").waitFor();
      await page.getByLabel("API key").fill(`ltf_${"0".repeat(38)}`);
      await page.getByRole("button", { name: "Look up" }).click();
      await page.getByText("The key could not be looked up.").waitFor();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    });
  });

  it("registers a webhook, refuses a private address, shows its deliveries and deactivates it", async () => {
    const { key } = await issueKey("pro");
    await withPage(browser, { viewport: sizes.narrow, colorScheme: "dark" }, async (page) => {
      await lookUp(page, key);
      await page.getByText("No webhook is registered with this key.").waitFor();
      await page.getByLabel("New webhook's address").fill("http://127.0.0.1/hooks");
      await page.getByRole("button", { name: "Register webhook" }).click();
      await page.locator("#webhook-url-error").waitFor();
      await page.getByLabel("New webhook's address").fill("https://1.1.1.1/hooks");
      await page.getByRole("button", { name: "Register webhook" }).click();
      const secret = page.getByRole("region", { name: /signing secret, shown this once/ });
      expect(await secret.locator("pre").innerText()).toMatch(/^whsec_/);
      await secret.getByRole("button", { name: "I have stored it" }).click();

      const item = page
        .getByRole("listitem")
        .filter({ has: page.getByRole("heading", { name: "https://1.1.1.1/hooks" }) });
      await item.getByRole("button", { name: "Deliveries" }).click();
      await item.getByText("Nothing was sent to this webhook yet.").waitFor();
      await item.getByRole("button", { name: "Deactivate" }).click();
      await item.getByRole("button", { name: "Deactivate now" }).click();
      await vi.waitFor(async () => expect(await item.innerText()).toContain("deactivated"), longWait);
      expect(await item.getByRole("button", { name: "Send a test" }).count()).toBe(0);
    });
  });
});
