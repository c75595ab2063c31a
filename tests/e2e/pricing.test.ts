import type { Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { sizes, withPage } from "#tests/support/browser";
import { type PaymentApp, startPaymentApp } from "#tests/support/payment-app";

const base = inject("baseUrl");
const paying = "https://checkout.stripe.com/**";

let shop: PaymentApp;
beforeAll(async () => {
  shop = await startPaymentApp(inject("databaseUrl"));
});
afterAll(async () => {
  await shop.stop();
});

/** Presses Tab until a control with that name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement?.textContent)) === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** Stubs the payment provider's page. Returns the id of the session that was started. */
async function startSession(page: Page, buy: () => Promise<void>): Promise<string> {
  await page.route(paying, (route) => route.fulfill({ contentType: "text/html", body: "<h1>Pay</h1>" }));
  await Promise.all([page.waitForURL(paying), buy()]);
  return new URL(page.url()).pathname.split("/").at(-1) as string;
}

describe("the pricing page", () => {
  it("can be used by keyboard alone, from the checkout to a working key", async () => {
    await withPage({ viewport: sizes.wide }, async (page) => {
      await page.goto(`${shop.origin}/pricing`, { waitUntil: "networkidle" });
      const session = await startSession(page, async () => {
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
      shop.stripe.state.complete(session);
      await tabTo(page, "Check again");
      await page.keyboard.press("Enter");
      await page.getByText("Your key is ready").waitFor();
      await tabTo(page, "Show my key");
      await page.keyboard.press("Enter");
      const [key] = /ltf_[0-9A-Za-z]{38}/.exec(await page.locator("pre").innerText()) ?? [];
      const { status } = await fetch(`${shop.origin}/api/v1/webhooks`, { headers: { authorization: `Bearer ${key}` } });
      expect(status).toBe(200);
    });
  });

  it("starts a purchase without JavaScript, and rejects forms from other origins", async () => {
    await withPage({ javaScriptEnabled: false, viewport: sizes.narrow }, async (page) => {
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

  it("says what happened if the payment provider fails", async () => {
    shop.stripe.mode = "cut";
    try {
      await withPage({ javaScriptEnabled: false }, async (page) => {
        await page.goto(`${shop.origin}/pricing`);
        await page.getByRole("button", { name: "Buy Pro" }).click();
        await page.getByText("Couldn’t start the purchase of Pro.").waitFor();
      });
    } finally {
      shop.stripe.mode = "fine";
    }
  });

  it("has no buy button without a payment provider, and lists all five tiers on a phone", async () => {
    await withPage({ javaScriptEnabled: false, viewport: sizes.narrow }, async (page) => {
      await page.goto(`${base}/pricing?failed=%3Cb%3E`);
      expect(await page.locator("main form").count()).toBe(0);
      const text = await page.locator("main").innerText();
      expect(text).toContain("Paid plans aren’t available on this server.");
      expect(text).not.toContain("Couldn’t start");
      for (const price of ["$0", "$29", "$99", "$499", "$999"]) expect(text).toContain(price);
      expect(await page.getByRole("rowheader").allInnerTexts()).toHaveLength(5);
    });
  });
});
