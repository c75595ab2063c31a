import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { insertReport } from "#lib/tracking/intelligence/store";
import { accessibilityViolations } from "#tests/support/accessibility";
import { sizes, withPage } from "#tests/support/browser";
import { isExtended, itExtended } from "#tests/support/extended";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { MailServer } from "#tests/support/mail-server";
import { type PaymentApp, startPaymentApp } from "#tests/support/payment-app";
import { cronSecret } from "#tests/support/start-app";
import { addVendor, addVersion, reportRow } from "#tests/support/vendor-rows";

const base = inject("baseUrl");
const publicOrigin = "https://tapedeck.example";
const password = "right";

let app: PaymentApp;
const server = new MailServer();
beforeAll(async () => {
  await server.start();
  app = await startPaymentApp(inject("databaseUrl"), {
    CRON: "off",
    CRON_SECRET: cronSecret,
    BASE_URL: publicOrigin,
    MAIL_FROM: "Tapedeck <alerts@tapedeck.example>",
    SMTP_URL: server.url.replace("//", `//mailer:${password}@`),
  });
});
afterAll(async () => {
  await app.stop();
  await server.stop();
});

const api = (path: string, { key, ...init }: RequestInit & { key?: string } = {}) =>
  fetch(`${app.origin}${path}`, {
    ...init,
    headers: { ...init.headers, ...(key && { authorization: `Bearer ${key}` }) },
  });

/** Returns the URL of a link in the last mail to an address, at the started app. */
function linkIn(address: string, kind: "digests/confirm" | "digests/unsubscribe" | "keys/mail/link"): string {
  const text = server.to(address).at(-1)?.text ?? "";
  const [url = ""] = new RegExp(`${publicOrigin}/api/v1/${kind}\\?token=\\S+`).exec(text) ?? [];
  return url.replace(publicOrigin, app.origin);
}

async function runJob(): Promise<Record<string, number>> {
  const response = await api("/api/cron/send-digests", { headers: { authorization: `Bearer ${cronSecret}` } });
  expect(response.status).toBe(200);
  return (await response.json()).summary;
}

/** Stores a change of a vendor with its report. */
async function addChangeOf(slug: string): Promise<void> {
  return withAppDatabase(async (database) => {
    await addVersion(database, slug, `# ${slug} ${randomUUID()}\n`);
    const {
      id: diffId,
      vendorId,
      currentSnapshotId: snapshotId,
    } = await database.diff.findFirstOrThrow({ where: { vendor: { slug } }, orderBy: { id: "desc" } });
    await insertReport(
      database,
      reportRow({ vendorId, diffId, snapshotId, summary: "Requests may be 2 MB large.", significance: 4 }),
    );
  });
}

/** Stores a new public vendor with a change and its report. Returns the vendor's slug. */
async function addChange(name = "Acme"): Promise<string> {
  const { slug } = await withAppDatabase(async (database) => {
    const vendor = await addVendor(database, { name, isPublic: true });
    await addVersion(database, vendor.slug, "# One\n");
    return vendor;
  });
  await addChangeOf(slug);
  return slug;
}

async function openDashboard(page: Page, key: string): Promise<void> {
  await page.goto(`${app.origin}/key`, { waitUntil: "networkidle" });
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "Digests" }).click();
  await page.getByText("No digests yet.").waitFor();
}

async function describeKey(key: string) {
  const answer = await api("/api/v1/keys", { key });
  return answer.status === 200 ? (await answer.json()).tier : answer.status;
}

/** Asks for a key on the page Your key, opens the mail's link and returns the key that its page shows. */
async function recoverKey(page: Page, address: string, options: { keepKeys?: boolean } = {}): Promise<string> {
  await page.goto(`${app.origin}/key`, { waitUntil: "networkidle" });
  await page.getByLabel("E-mail address").fill(address);
  await page.getByRole("button", { name: "Mail me a link" }).click();
  await page.getByText("A mail with a link is on its way.").waitFor();
  await page.goto(linkIn(address, "keys/mail/link"));
  if (isExtended) expect(await accessibilityViolations(page)).toEqual([]);
  if (options.keepKeys) await page.getByLabel("Keep the older keys").check();
  await page.getByRole("button", { name: "Show my key" }).click();
  await page.getByRole("heading", { name: "Your key" }).waitFor();
  return page.locator("pre").innerText();
}

describe("a key by mail", () => {
  it("is free for a new address", async () => {
    await withPage({ viewport: sizes.narrow }, async (page) => {
      await page.goto(`${app.origin}/key`, { waitUntil: "networkidle" });
      await page.getByLabel("E-mail address").fill("not an address");
      await page.getByRole("button", { name: "Mail me a link" }).click();
      await page.locator("#key-email-error").waitFor();
      expect(await describeKey(await recoverKey(page, "new@b.example"))).toBe("free");
    });
  });

  itExtended("replaces a lost one of a purchase with its tier", async () => {
    const [visitor, buyer] = ["visitor@b.example", "Buyer+shop@b.example"];
    const bought = await app.buyKey("pro", buyer);
    await withPage({ viewport: sizes.narrow }, async (page) => {
      await page.goto(`${app.origin}/key`, { waitUntil: "networkidle" });
      const free = await recoverKey(page, visitor);
      const kept = await recoverKey(page, "buyer@b.example", { keepKeys: true });
      expect([await describeKey(kept), await describeKey(bought)]).toEqual(["pro", "pro"]);
      const recovered = await recoverKey(page, "buyer@b.example");
      expect(await Promise.all([recovered, kept, bought, free].map(describeKey))).toEqual(["pro", 401, 401, "free"]);
      await page.goto(linkIn(visitor, "keys/mail/link"));
      await page.getByRole("heading", { name: "This link is not valid" }).waitFor();
      const tokens = server.received.flatMap(({ text }) => text.match(/(?<=token=)[\w-]{43}/g) ?? []);
      for (const secret of [...tokens, visitor, "buyer@b", "Buyer+", free, kept, recovered])
        expect(app.output()).not.toContain(secret);
    });
  });

  it("has the same answer for every address", async () => {
    const ask = async (email: string) => {
      const headers = { "content-type": "application/json" };
      const answer = await api("/api/v1/keys/mail", { method: "POST", headers, body: JSON.stringify({ email }) });
      return [answer.status, (await answer.json()).note, answer.headers.get("cache-control")];
    };
    await app.buyKey("pro", "customer@b.example");
    expect(await ask("customer@b.example")).toEqual([202, expect.any(String), "no-store"]);
    expect(await ask("customer@b.example")).toEqual(await ask("nobody@b.example"));
    expect((await ask("nobody"))[0]).toBe(400);
  });
});

describe("an e-mail digest", () => {
  it("is added on the page Your key, confirmed, sent, and ended with one click, and no log has its secrets", async () => {
    const { key } = await issueKey("free");
    const address = "browser@b.example";
    await withPage({ viewport: sizes.narrow }, async (page) => {
      await openDashboard(page, key);
      await page.getByLabel("E-mail address").fill("not an address");
      await page.getByRole("button", { name: "Add digest" }).click();
      await page.locator("#digest-email-error").waitFor();
      await page.getByLabel("E-mail address").fill(address);
      await page.locator("#digest-frequency").selectOption("each");
      await page.getByRole("button", { name: "Add digest" }).click();
      const item = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: address }) });
      await item.getByText("pending").waitFor();
      if (isExtended) expect(await accessibilityViolations(page)).toEqual([]);

      const confirmation = await page.context().newPage();
      // A program that checks the mail opens the link first.
      expect((await fetch(linkIn(address, "digests/confirm"))).status).toBe(200);
      await confirmation.goto(linkIn(address, "digests/confirm"));
      if (isExtended) expect(await accessibilityViolations(confirmation)).toEqual([]);
      await confirmation.getByRole("button", { name: "Confirm" }).click();
      await confirmation.getByRole("heading", { name: "Your address is confirmed" }).waitFor();
      await confirmation.goto(linkIn(address, "digests/confirm"));
      await confirmation.getByRole("heading", { name: "Your address is already confirmed" }).waitFor();

      await page.getByRole("button", { name: "Refresh digests" }).click();
      await item.getByText("active").waitFor();
      await item.getByLabel("Frequency").selectOption("weekly");
      await expect.poll(() => item.getByLabel("Frequency").inputValue()).toBe("weekly");
      await item.getByLabel("Frequency").selectOption("each");
      await expect.poll(() => item.getByLabel("Frequency").inputValue()).toBe("each");
      await item.getByText("Waiting for the response…").waitFor({ state: "hidden" });
    });

    const slug = await addChange();
    expect(await runJob()).toMatchObject({ sent: 1 });
    const mail = server.to(address).at(-1);
    expect(mail?.text).toContain(`${publicOrigin}/vendors/${slug}/diffs/`);
    const [oneClick = ""] = /https:[^>]+/.exec(mail?.headers.get("list-unsubscribe") ?? "") ?? [];
    expect(oneClick.replace(publicOrigin, app.origin)).toBe(linkIn(address, "digests/unsubscribe"));

    await withPage({ viewport: sizes.wide, colorScheme: "dark" }, async (page) => {
      await page.goto(linkIn(address, "digests/unsubscribe"));
      if (isExtended) expect(await accessibilityViolations(page)).toEqual([]);
    });
    // The page has changed nothing. A mail program sends this form, without a key and cookies, maybe twice.
    for (let count = 0; count < 2; count += 1) {
      const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
      const response = await fetch(linkIn(address, "digests/unsubscribe"), { method: "POST", body, redirect: "error" });
      expect([response.status, response.headers.get("set-cookie")]).toEqual([200, null]);
    }
    expect((await (await api("/api/v1/digests", { key })).json()).digests).toEqual([]);
    for (const method of ["GET", "POST"]) {
      const response = await fetch(linkIn(address, "digests/unsubscribe"), { method });
      expect([method, response.status]).toEqual([method, 404]);
      expect(await response.text()).toContain("This link is not valid");
    }

    const tokens = server
      .to(address)
      .flatMap(({ text }) => [...text.matchAll(/token=([\w-]{43})/g)].map(([, token]) => token));
    expect(tokens).toHaveLength(2);
    expect(app.output()).toContain("/api/v1/digests/unsubscribe");
    for (const secret of [...tokens, address, `mailer:${password}`]) expect(app.output()).not.toContain(secret);
  });

  it("is created, changed and deleted with a key, of its own account alone", async () => {
    const [{ key }, { key: other }] = [await issueKey("starter"), await issueKey("pro")];
    const send = async (method: string, path: string, body?: object, who = key) => {
      const init = {
        method,
        headers: { "content-type": "application/json" },
        body: body ? JSON.stringify(body) : null,
      };
      const response = await api(`/api/v1/digests${path}`, { ...init, key: who });
      return { status: response.status, answer: await response.json() };
    };
    const daily = { email: "a@b.example", frequency: "daily" };
    for (const body of [{ ...daily, email: "a@b.example\r\nBcc: c@d.example" }, { email: daily.email }])
      expect((await send("POST", "", body)).status).toBe(400);
    const { status, answer } = await send("POST", "", { ...daily, filters: { min_significance: 3 } });
    expect(status).toBe(201);
    const path = `/${answer.digest.id}`;
    for (const method of ["PATCH", "DELETE"])
      expect((await send(method, path, method === "PATCH" ? { frequency: "daily" } : undefined, other)).status).toBe(
        404,
      );
    const changed = await send("PATCH", path, { frequency: "weekly" });
    expect(changed.answer.digest).toMatchObject({ frequency: "weekly", status: "pending" });
    expect((await send("DELETE", path)).answer).toEqual({ deleted: true, id: answer.digest.id });
  });

  itExtended("without an account is a list of vendors, from a vendor's page to the end of its mails", async () => {
    const [first, second] = [await addChange(), await addChange("Beacon")];
    const address = "follower@b.example";
    await withPage({ viewport: sizes.narrow }, async (page) => {
      await page.goto(`${app.origin}/vendors/${first}`);
      await page.getByRole("link", { name: "Follow by e-mail" }).click();
      await page.waitForURL(/\/follow/);
      await page.waitForLoadState("networkidle");
      await page.getByLabel("Filter the list").fill("beac");
      expect(await page.locator(`input[value="${first}"]`).isVisible()).toBe(false);
      await page.locator(`input[value="${second}"]`).check();
      await page.getByRole("button", { name: "Follow" }).click();
      await page.locator("#follow-email-error").waitFor();
      await page.getByLabel("E-mail address").fill(address);
      await page.getByLabel("Frequency").selectOption("each");
      await page.getByRole("button", { name: "Follow" }).click();
      await page.getByText(`A mail was sent to ${address}.`).waitFor();
      if (isExtended) expect(await accessibilityViolations(page)).toEqual([]);
      await page.goto(linkIn(address, "digests/confirm"));
      await page.getByRole("button", { name: "Confirm" }).click();
      await page.getByRole("heading", { name: "Your address is confirmed" }).waitFor();
      expect(await page.locator("main").innerText()).toContain("Changes of Acme and Beacon are mailed to");
    });
    await addChangeOf(first);
    expect(await runJob()).toMatchObject({ sent: 1 });
    expect(server.to(address).at(-1)?.text).toContain(`${publicOrigin}/vendors/${first}/diffs/`);
    await withPage({ viewport: sizes.narrow, colorScheme: "dark" }, async (page) => {
      await page.goto(linkIn(address, "digests/unsubscribe"));
      if (isExtended) expect(await accessibilityViolations(page)).toEqual([]);
      await page.getByLabel("Beacon").uncheck();
      await page.getByRole("button", { name: "Follow only these" }).click();
      await page.getByRole("heading", { name: "Your list is changed" }).waitFor();
      expect(await page.locator("main").innerText()).toContain("Changes of Acme are mailed to");
      await page.goto(linkIn(address, "digests/unsubscribe"));
      await page.getByRole("button", { name: "Unsubscribe" }).click();
      await page.getByRole("heading", { name: "You are unsubscribed" }).waitFor();
    });
  });
});

it("without a mail server there are no digests and no keys by mail, on pages and in the API", async () => {
  const { key } = await issueKey("pro");
  const slug = await addChange();
  const headers = { authorization: `Bearer ${key}` };
  for (const [method, path] of [
    ["GET", ""],
    ["POST", ""],
    ["PATCH", "/019aa5d0-3c20-7e41-8b5a-0f1e2d3c4b5a"],
    ["DELETE", "/019aa5d0-3c20-7e41-8b5a-0f1e2d3c4b5a"],
  ] as const) {
    const body = method === "POST" ? '{"email":"a@b.example","frequency":"daily"}' : '{"frequency":"daily"}';
    const hasBody = method === "POST" || method === "PATCH";
    const response = await fetch(`${base}/api/v1/digests${path}`, { method, headers, body: hasBody ? body : null });
    expect([method, response.status]).toEqual([method, 503]);
    expect((await response.json()).error).toBe("This server sends no e-mail. Only its operator can change that.");
  }
  expect(await (await fetch(`${base}/vendors/${slug}`)).text()).not.toContain("/docs/email");
  const keyPage = await (await fetch(`${base}/key`)).text();
  for (const text of ["E-mail digests", "Mail me a link"]) expect(keyPage).not.toContain(text);
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"email":"a@b.example"}' };
  expect((await fetch(`${base}/api/v1/keys/mail`, init)).status).toBe(503);
  expect(await (await fetch(`${base}/status`)).text()).not.toContain("send-digests");
});
