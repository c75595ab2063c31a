import { pino } from "pino";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { createCheckout as CreateCheckout } from "#lib/accounts/purchases/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { sharedDatabase } from "#tests/support/shared-database";
import { StripeDouble } from "#tests/support/stripe-double";

const request = new Headers({ host: "127.0.0.1:3000" });
vi.mock("next/headers", () => ({ headers: async () => request }));

const database = sharedDatabase();
let double: StripeDouble;
let createCheckout: typeof CreateCheckout;
let show: (sessionId?: string | string[]) => Promise<string>;
beforeAll(async () => {
  double = await StripeDouble.start(systemClock);
  const environment = { ...double.environment, DATABASE_URL: database.url, LOG_LEVEL: "silent" };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  // The environment is read once per process, so the modules are loaded again with the database and provider configured.
  vi.resetModules();
  ({ createCheckout } = await import("#lib/accounts/purchases/index"));
  const { default: WelcomePage } = await import("../../../../app/(site)/welcome/page");
  show = async (sessionId) =>
    renderToStaticMarkup(await WelcomePage({ searchParams: Promise.resolve({ session_id: sessionId }) }));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await double.close();
});

async function begin() {
  const log = pino({ level: "silent" });
  const context = { database: database.client, clock: systemClock, ids: systemIds, log, clientAddress: () => null };
  const input = { body: { tier: "pro" }, header: () => null } as const;
  const { checkout, cookie } = await createCheckout({ ...context, origin: "http://127.0.0.1:3000" }, input);
  return { sessionId: checkout.url.split("/").at(-1) as string, cookie: cookie.split(";")[0] as string };
}

describe("the success page", () => {
  test("leads from the open payment to the button, a plain form only for this browser", async () => {
    const { sessionId, cookie } = await begin();
    expect(await show(sessionId)).toMatch(/not finished[\s\S]*Check again/);
    double.state.complete(sessionId);
    const foreign = await show(sessionId);
    expect([foreign.includes("browser that you paid with"), foreign.includes("<form")]).toEqual([true, false]);
    request.set("cookie", cookie);
    const own = await show(sessionId);
    expect(own).toContain('<form action="/api/v1/payment/reveal" method="post">');
    expect(own).toContain(`<input type="hidden" name="session_id" value="${sessionId}"/>`);
    expect(own).toMatch(/<button type="submit"[^>]*>Show my key<\/button>/);
    await database.client.checkout.updateMany({ where: { sessionId }, data: { revealedAt: new Date() } });
    expect(await show(sessionId)).not.toContain("<form");
  });

  test("says what to do if the provider does not respond, and shows no purchase for an invalid URL", async () => {
    const { sessionId } = await begin();
    double.mode = "down";
    expect(await show(sessionId)).toMatch(/check your purchase[\s\S]*did not respond[\s\S]*Check again/);
    for (const strange of [undefined, "", "cs_<script>", [sessionId, sessionId]]) {
      const text = await show(strange);
      expect([text.includes("Purchase not found"), text.includes("<script")]).toEqual([true, false]);
    }
  });
});
