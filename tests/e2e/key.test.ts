import { randomUUID } from "node:crypto";
import type { Page, Request } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { keySubject } from "#lib/accounts/limits/index";
import { sizes, withPage } from "#tests/support/browser";
import { eventually } from "#tests/support/eventually";
import { isExtended, itExtended } from "#tests/support/extended";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { type PaymentApp, startPaymentApp } from "#tests/support/payment-app";
import { addVendor, addVersion } from "#tests/support/vendor-rows";
import { Receiver, status } from "#tests/support/webhook-receivers";

const base = inject("baseUrl");
const paying = "https://checkout.stripe.com/**";

/** For what needs a payment provider or a receiver of webhooks. */
let shop: PaymentApp;
const receiver = new Receiver();
beforeAll(async () => {
  if (!isExtended) return;
  await receiver.start();
  shop = await startPaymentApp(inject("databaseUrl"), { OUTBOUND_ALLOWED_HOSTS: receiver.host });
});
afterAll(async () => {
  await shop?.stop();
  await receiver.stop();
});

/** Everything that the browser stores or sends for a page, except its session storage and the header with the key. */
async function collectTraces(page: Page, requests: Request[]): Promise<string> {
  const kept = await page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }, location.href]));
  const cookies = await page.context().cookies();
  const sent = requests.map((request) => [request.url(), request.headers().cookie, request.headers().referer]);
  return JSON.stringify([kept, cookies, sent]);
}

/** Checks a key and opens the tab of the dashboard with this title. */
async function checkKey(page: Page, key: string, origin = base, tab = "This key"): Promise<Request[]> {
  const requests: Request[] = [];
  page.on("request", (request) => requests.push(request));
  await page.goto(`${origin}/key`, { waitUntil: "networkidle" });
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  if (tab !== "This key") await page.getByRole("tab", { name: tab }).click();
  return requests;
}

describe("the key dashboard", () => {
  it("shows tier and usage, rotates the key, and keeps it only in the session storage", async () => {
    const { key } = await issueKey("starter");
    await withPage({ viewport: sizes.wide }, async (page) => {
      const requests = await checkKey(page, key);
      await page.getByText("of 5,000 used").waitFor();
      expect(await page.locator("main").innerText()).toMatch(/Tier\s+Starter[\s\S]*1 of 5,000 used, 4,999 left/);
      await page.getByRole("tab", { name: "Webhooks" }).click();
      await page.getByText("Webhooks are part of Pro.").waitFor();
      await page.getByRole("tab", { name: "This key" }).click();

      await page.getByLabel("stops working at once").check();
      await page.getByRole("button", { name: "Rotate key" }).click();
      await page.getByRole("button", { name: "Rotate now" }).click();
      const shown = page.getByRole("region", { name: "Your new key (shown only once)" });
      await shown.waitFor();
      const [rotated = ""] = /ltf_[0-9A-Za-z]{38}/.exec(await shown.locator("pre").innerText()) ?? [];
      const statusWith = async (given: string) =>
        (await fetch(`${base}/api/v1/cron/status`, { headers: { authorization: `Bearer ${given}` } })).status;
      expect([await statusWith(key), await statusWith(rotated)]).toEqual([401, 200]);
      expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).toContain(rotated);

      const traces = await collectTraces(page, requests);
      for (const secret of [key, rotated]) expect(traces.includes(secret)).toBe(false);
      await shown.getByRole("button", { name: "I’ve stored it" }).click();
      expect(await page.content()).not.toContain(rotated);
      await page.getByRole("button", { name: "Forget key" }).click();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    });
  });

  itExtended("shows until when a key rotated with grace works, and ends it", async () => {
    const { key } = await issueKey("starter");
    const statusOf = async () =>
      (await fetch(`${base}/api/v1/keys`, { headers: { authorization: `Bearer ${key}` } })).status;
    await withPage({ viewport: sizes.wide }, async (page) => {
      await checkKey(page, key);
      await page.getByRole("button", { name: "Rotate key" }).click();
      await page.getByRole("button", { name: "Rotate now" }).click();
      const previous = page.getByRole("region", { name: "Previous keys" });
      await previous.getByText(`ltf_…${key.slice(-4)} works until`).waitFor();
      expect(await statusOf()).toBe(200);
      await previous.getByRole("button", { name: "End previous keys" }).click();
      await previous.getByRole("button", { name: "End now" }).click();
      await previous.waitFor({ state: "detached" });
      expect(await statusOf()).toBe(401);
      expect(await page.getByRole("region", { name: "Your new key (shown only once)" }).count()).toBe(1);
    });
  });

  it("has no form without JavaScript", async () => {
    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${base}/key`);
      const field = page.getByLabel("API key");
      expect([await field.count(), await field.isVisible()]).toEqual([1, false]);
    });
  });

  itExtended("says what is wrong with a key", async () => {
    await withPage({}, async (page) => {
      await checkKey(page, "ltf_short");
      await page.getByText("A key starts with ltf_").waitFor();
      await page.getByLabel("API key").fill(`ltf_${"0".repeat(38)}`);
      await page.getByRole("button", { name: "Check key" }).click();
      await page.getByText("Couldn’t check the key.").waitFor();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    });
  });

  itExtended("sends a test, resends a delivery, and shows the receiver's response as plain text", async () => {
    const { key } = await issueKey("pro");
    receiver.answer = status(500, {}, "<img src=x onerror=alert(1)>");
    await withPage({ viewport: sizes.wide }, async (page) => {
      await checkKey(page, key, shop.origin, "Webhooks");
      await page.getByLabel("New webhook URL").fill(receiver.url);
      await page.getByRole("button", { name: "Register webhook" }).click();
      await page.getByRole("button", { name: "I’ve stored it" }).click();
      const item = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: receiver.url }) });
      await item.getByRole("button", { name: "Send test" }).click();
      await item.getByText("The test failed: status 500.").waitFor();
      await item.getByRole("button", { name: "Deliveries" }).click();
      await item.getByText("Attempts", { exact: true }).click();
      await item.getByText("<img src=x onerror=alert(1)>").waitFor();
      receiver.answer = status(204);
      await item.getByRole("button", { name: "Send again" }).click();
      await item.getByText("Sent again: delivered.").waitFor();
      await item.getByRole("button", { name: "Send test" }).click();
      await item.getByText("The test was delivered: status 204.").waitFor();
      expect(receiver.received).toHaveLength(3);
    });
  });

  itExtended("adds a vendor of the account, says what is wrong with a URL, renames and removes it", async () => {
    const { key, stored } = await issueKey("pro");
    await withPage({ viewport: sizes.narrow }, async (page) => {
      await checkKey(page, key, shop.origin, "Vendors");
      await page.getByText("0 of 50 vendors").waitFor();
      await page.getByLabel("URL to track").fill("http://10.0.0.1/llms.txt");
      await page.getByRole("button", { name: "Add vendor" }).click();
      await page.locator("#vendor-url-error").getByText("not a public address").waitFor();
      await page.getByLabel("URL to track").fill(receiver.url);
      await page.getByLabel("Format").selectOption("openapi");
      await page.getByLabel("Name (default: its host)").fill("Own docs");
      await page.getByLabel("Category").selectOption("cloud");
      await page.getByRole("button", { name: "Add vendor" }).click();
      await page.getByText("1 of 50 vendors").waitFor();
      const item = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Own docs" }) });
      expect(await item.innerText()).toMatch(/Not fetched yet cloud, slug own-docs-[0-9a-f]{8}; /);
      expect(await item.getByRole("link", { name: receiver.url }).count()).toBe(1);
      const { accountId } = stored;
      const added = await withAppDatabase((database) => database.vendor.findFirst({ where: { accountId } }));
      expect(added?.reader).toBe("openapi");
      await item.getByText("Edit name").click();
      await item.getByLabel("Name").fill("Docs of ours");
      await item.getByRole("button", { name: "Save name" }).click();
      await page.getByRole("heading", { name: "Docs of ours" }).waitFor();
      expect(await page.getByText(/^Saved\.$/).count()).toBe(1);
      const edit = page.getByText("Edit name");
      await edit.click();
      await page.getByLabel("Name", { exact: true }).fill("Not saved");
      await edit.click();
      await edit.click();
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Docs of ours");
      await page.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("button", { name: "Remove now" }).click();
      await page.getByText("0 of 50 vendors").waitFor();
    });
  });

  it("creates a key of the account with a name, lists both, and ends it", async () => {
    const { key } = await issueKey("starter");
    await withPage({ viewport: sizes.narrow }, async (page) => {
      await checkKey(page, key, base, "All keys");
      await page.getByText("1 key", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Create key" }).click();
      await page.locator("#key-name-error").waitFor();
      await page.getByLabel("Name of a new key").fill("CI");
      await page.getByLabel("Days until it expires").fill("90");
      await page.getByRole("button", { name: "Create key" }).click();
      const shown = page.getByRole("region", { name: "Your new key (shown only once)" });
      const other = (await shown.locator("pre").innerText()).trim();
      await shown.getByRole("button", { name: "I’ve stored it" }).click();
      const items = page.getByRole("region", { name: "Keys of your account" }).getByRole("listitem");
      await items.nth(1).waitFor();
      expect(await items.allInnerTexts()).toEqual([
        expect.stringMatching(new RegExp(`CI ltf_…${other.slice(-4)} created .*, not used yet, works until `)),
        expect.stringMatching(new RegExp(`…${key.slice(-4)} created .*, last used .*this tab’s key`, "s")),
      ]);
      await items.getByRole("button", { name: `End …${other.slice(-4)}` }).click();
      await page.getByRole("button", { name: "End now" }).click();
      await expect.poll(() => items.count()).toBe(1);
      const headers = { authorization: `Bearer ${other}` };
      expect((await fetch(`${base}/api/v1/keys`, { headers })).status).toBe(401);
    });
  });

  it("links the pages of a vendor of the account, which this tab sees and nobody without the key", async () => {
    const { key, stored } = await issueKey("pro");
    const { slug, diffId } = await withAppDatabase(async (database) => {
      const { slug } = await addVendor(database, { name: "Own docs", accountId: stored.accountId });
      await addVersion(database, slug, "# One\n");
      return { slug, ...(await addVersion(database, slug, "# One\n\nThe limit is 5.\n")) };
    });
    const notFound = "Vendor, version or change not found.";
    const heading = (page: Page) => page.getByRole("heading", { level: 1 });
    await withPage({ viewport: sizes.narrow }, async (page) => {
      await checkKey(page, key, base, "Vendors");
      const item = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Own docs" }) });
      await item.getByText("Not analysed yet.").waitFor();
      expect(await page.getByRole("heading", { name: "No key yet?" }).count()).toBe(0);
      await item.getByRole("button", { name: "Remove" }).press("Enter");
      await item.getByRole("button", { name: "Remove now" }).press("Escape");
      expect(await item.getByRole("button", { name: "Remove" }).count()).toBe(1);

      await item.getByRole("link", { name: "2 lines added, 0 removed" }).click();
      await page.getByText("The limit is 5.").waitFor();
      expect(page.url()).toBe(`${base}/vendors/${slug}/diffs/${diffId}`);
      await page.getByRole("link", { name: "All versions" }).click();
      await heading(page).getByText("Own docs: versions").waitFor();
      await page.goto(`${base}/vendors/${slug}`);
      await heading(page).getByText("Own docs", { exact: true }).waitFor();
      await expect.poll(() => page.title()).toMatch(/^Own docs/);
      expect(await page.getByText("Only the keys of your account see this vendor.").count()).toBe(1);
      expect(await page.getByText("use the API with your key:").count()).toBe(1);
      await page.goto(`${base}/vendors/${slug}/compare`);
      await heading(page).getByText("Own docs").waitFor();
      await page.goto(`${base}/vendors/${slug}/diffs/${randomUUID()}`, { waitUntil: "networkidle" });
      await heading(page).getByText(notFound).waitFor();
      await page.goto(`${base}/vendors/nobody-${slug}`, { waitUntil: "networkidle" });
      await heading(page).getByText(notFound).waitFor();
    });
    const { key: other } = await issueKey("pro");
    await withPage({}, async (page) => {
      await checkKey(page, other, base, "Vendors");
      await page.getByText("0 of 50 vendors").waitFor();
      const answers: string[] = [];
      await page.route(`${base}/vendors/${slug}`, async (route) => {
        const response = await route.fetch();
        answers.push(await response.text());
        await route.fulfill({ response });
      });
      await page.goto(`${base}/vendors/${slug}`);
      await expect.poll(() => answers.length).toBe(2);
      expect(answers.join("")).not.toContain("Own docs");
      expect(await heading(page).innerText()).toBe(notFound);
    });
  });

  itExtended(
    "upgrades the account of a free key, opens its portal, and checks the key again on the way back",
    async () => {
      const [checkout, portal] = ["https://checkout.stripe.com/**", "https://billing.stripe.com/**"];
      const [{ key: free }, { key: issued }] = [await issueKey("free"), await issueKey("starter")];
      await withPage({}, async (page) => {
        for (const url of [checkout, portal])
          await page.route(url, (route) => route.fulfill({ contentType: "text/html", body: "<h1>Provider</h1>" }));
        await checkKey(page, issued, shop.origin);
        await page.getByText("of 5,000 used").waitFor();
        expect(await page.getByRole("tab", { name: /Payment|Upgrade/ }).count()).toBe(0);
        await page.getByRole("button", { name: "Forget key" }).click();
        await checkKey(page, free, shop.origin, "Upgrade");
        const upgrade = page.getByRole("button", { name: "Upgrade to Pro ($99 per month)" });
        await Promise.all([page.waitForURL(checkout), upgrade.click()]);
        const sessionId = page.url().split("/").at(-1) ?? "";
        shop.stripe.state.complete(sessionId);
        await page.goto(`${shop.origin}/welcome?session_id=${sessionId}`);
        await page.getByText("Your account has its new tier.").waitFor();
        await page.goto(`${shop.origin}/key`);
        await page.getByText("of 50,000 used").waitFor();
        expect(await page.locator("main").innerText()).toMatch(/Tier\s+Pro\s+Payment\s+Renews on /);
        await page.getByRole("tab", { name: "Payment" }).click();
        const open = page.getByRole("button", { name: "Open the payment portal" });
        await Promise.all([page.waitForURL(portal), open.click()]);
        expect(shop.stripe.state.portals.at(-1)?.return_url).toBe(`${shop.origin}/key`);
        await page.goBack();
        await page.getByText("of 50,000 used").waitFor();
      });
    },
  );

  it("shows at the daily limit what still works, and the account's keys", async () => {
    const { key, stored } = await issueKey("enterprise");
    const day = new Date(new Date().toISOString().slice(0, 10));
    await withAppDatabase((database) =>
      database.limitWindow.create({ data: { subject: keySubject(stored.limitId), day, count: 500_000 } }),
    );
    await withPage({ viewport: sizes.narrow }, async (page) => {
      await checkKey(page, key, base, "All keys");
      await page.getByText("Today’s requests are used up.").waitFor();
      await page.getByText("this tab’s key").waitFor();
      expect(await page.locator("main").innerText()).toMatch(
        /Tier\s+Enterprise\s+Requests\s+500,000 of 500,000 used, 0 left/,
      );
      expect(await page.getByText("The key is valid. Tier: Enterprise.").count()).toBe(1);
    });
  });

  it("registers a webhook, rejects a private URL, shows its deliveries and deactivates it", async () => {
    const { key } = await issueKey("pro");
    await withPage({ viewport: sizes.narrow, colorScheme: "dark" }, async (page) => {
      await checkKey(page, key, base, "Webhooks");
      await page.getByText("No webhooks yet.").waitFor();
      await page.getByLabel("New webhook URL").fill("http://127.0.0.1/hooks");
      await page.getByRole("button", { name: "Register webhook" }).click();
      await page.locator("#webhook-url-error").waitFor();
      await page.getByLabel("New webhook URL").fill("https://1.1.1.1/hooks");
      await page.getByText("Only some changes").click();
      await page.getByRole("textbox", { name: "Vendors" }).fill("nobody-here");
      await page.getByLabel("pricing-change").check();
      await page.getByLabel("Significance").selectOption("5");
      await page.getByRole("button", { name: "Register webhook" }).click();
      await page.locator("#webhook-url-error").getByText('there is no vendor "nobody-here"').waitFor();
      await page.getByRole("textbox", { name: "Vendors" }).fill("");
      const operations = "GET api.acme.test/v1/files, POST api.acme.test/v1/files";
      await page.getByRole("textbox", { name: "Operations" }).fill(operations);
      await page.getByRole("button", { name: "Register webhook" }).click();
      const secret = page.getByRole("region", { name: /signing secret \(shown only once\)/ });
      expect(await secret.locator("pre").innerText()).toMatch(/^whsec_/);
      await secret.getByRole("button", { name: "I’ve stored it" }).click();

      const item = page
        .getByRole("listitem")
        .filter({ has: page.getByRole("heading", { name: "https://1.1.1.1/hooks" }) });
      expect(await item.innerText()).toContain(`only ${operations}; categories pricing-change; significance 5`);
      await item.getByText("Edit filters").click();
      expect(await item.getByLabel("pricing-change").isChecked()).toBe(true);
      expect(await item.getByLabel("Significance").inputValue()).toBe("5");
      await item.getByRole("textbox", { name: "Vendors" }).fill("nobody-here");
      await item.getByRole("button", { name: "Save filters" }).click();
      await item.getByText('there is no vendor "nobody-here"').waitFor();
      await item.getByRole("textbox", { name: "Vendors" }).fill("quarrydb");
      await item.getByRole("textbox", { name: "Models" }).fill("nobodys-model");
      await item.getByLabel("pricing-change").uncheck();
      await item.getByLabel("deprecation").check();
      await item.getByRole("button", { name: "Save filters" }).click();
      const filters = `only vendors quarrydb; models nobodys-model or ${operations}; categories deprecation; significance 5`;
      await item.getByText(filters).waitFor();
      const saved = "Saved. The filters apply to changes from now on. No such model is known: nobodys-model.";
      await item.getByText(saved).waitFor();
      expect(await item.locator("details").getAttribute("open")).toBeNull();

      await item.getByRole("button", { name: "Deliveries" }).click();
      await item.getByText("No deliveries yet.").waitFor();
      await item.getByRole("button", { name: "Deactivate" }).click();
      await item.getByRole("button", { name: "Deactivate now" }).click();
      await eventually(async () => expect(await item.innerText()).toContain("deactivated"));
      expect(await item.getByRole("button", { name: "Send test" }).count()).toBe(0);
    });
  });
});

/** Presses Tab until a control with that name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement?.textContent)) === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

describe("the pricing page", () => {
  // The same purchase without a browser: tests/api/accounts/purchase.test.ts.
  itExtended("can be used by keyboard alone, from the checkout to a working key", async () => {
    await withPage({ viewport: sizes.wide }, async (page) => {
      await page.goto(`${shop.origin}/pricing`, { waitUntil: "networkidle" });
      await page.route(paying, (route) => route.fulfill({ contentType: "text/html", body: "<h1>Pay</h1>" }));
      await tabTo(page, "Buy Pro");
      await Promise.all([page.waitForURL(paying), page.keyboard.press("Enter")]);
      const session = new URL(page.url()).pathname.split("/").at(-1) as string;
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

  itExtended("says what happened if the payment provider fails", async () => {
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

  it("has no buy button without a payment provider, and lists all five tiers", async () => {
    const html = (await (await fetch(`${base}/pricing?failed=%3Cb%3E`)).text()).replaceAll("<!-- -->", "");
    const [, main = ""] = /<main\b.*?>(.*)<\/main>/s.exec(html) ?? [];
    expect(main).toContain("Paid plans aren’t available on this server.");
    expect(main).not.toMatch(/<form|Couldn’t start/);
    for (const price of ["$0", "$29", "$99", "$499", "$999"]) expect(main).toContain(price);
    expect(main.match(/<th scope="row"/g)).toHaveLength(5);
  });
});
