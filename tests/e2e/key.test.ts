import type { Browser, Page, Request } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { openBrowser, sizes, withPage } from "#tests/support/browser";
import { issueKey } from "#tests/support/keys";
import { type Shop, startShop } from "#tests/support/shop";
import { Receiver, status } from "#tests/support/webhook-receivers";

const base = inject("baseUrl");
/** For what a busy machine may need several goes at, in milliseconds. */
const longWait = { timeout: 20_000, interval: 100 };

let browser: Browser;
let shop: Shop;
const receiver = new Receiver();
beforeAll(async () => {
  await receiver.start();
  browser = await openBrowser();
  shop = await startShop(inject("databaseUrl"), [receiver.host]);
});
afterAll(async () => {
  await browser.close();
  await shop.stop();
  await receiver.stop();
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

  it("sends a test, and a delivery again, and shows what the receiver answered as text", async () => {
    const { key } = await issueKey("pro");
    receiver.answer = status(500, {}, "<img src=x onerror=alert(1)>");
    await withPage(browser, { viewport: sizes.wide }, async (page) => {
      await lookUp(page, key);
      await page.getByLabel("New webhook's address").fill(receiver.url);
      await page.getByRole("button", { name: "Register webhook" }).click();
      await page.getByRole("button", { name: "I have stored it" }).click();
      const item = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: receiver.url }) });
      await item.getByRole("button", { name: "Send a test" }).click();
      await item.getByText("The test did not arrive: status 500.").waitFor();
      await item.getByRole("button", { name: "Deliveries" }).click();
      await item.getByText("Attempts", { exact: true }).click();
      await item.getByText("<img src=x onerror=alert(1)>").waitFor();
      receiver.answer = status(204);
      await item.getByRole("button", { name: "Send again" }).click();
      await item.getByText("Sent again: delivered.").waitFor();
      await item.getByRole("button", { name: "Send a test" }).click();
      await item.getByText("The test arrived: status 204.").waitFor();
      expect(receiver.received).toHaveLength(3);
    });
  });

  it("leads to the payment portal whoever bought the key, and says why where nobody did", async () => {
    const portal = "https://billing.stripe.com/**";
    const [bought, { key: issued }] = [await shop.buyKey("starter"), await issueKey("starter")];
    await withPage(browser, {}, async (page) => {
      await page.route(portal, (route) => route.fulfill({ contentType: "text/html", body: "<h1>Portal</h1>" }));
      const open = page.getByRole("button", { name: "Open the payment portal" });
      await lookUp(page, issued);
      await open.click();
      await page.getByText("the key was issued by the operator.").waitFor();
      await page.getByRole("button", { name: "Forget key" }).click();
      await lookUp(page, bought);
      await Promise.all([page.waitForURL(portal), open.click()]);
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
