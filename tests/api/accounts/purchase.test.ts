import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { issueKey } from "#tests/support/keys";
import { type PaymentApp, startPaymentApp } from "#tests/support/payment-app";
import { stripePrices, stripeSecrets } from "#tests/support/stripe-double";

let app: PaymentApp;
beforeAll(async () => {
  app = await startPaymentApp(inject("databaseUrl"));
});
afterAll(() => app.stop());

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${app.origin}${path}`, { method: "POST", body, headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function look(sessionId: string, cookie?: string) {
  const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
  const answer = await fetch(`${app.origin}/welcome?session_id=${sessionId}`, { headers });
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
}

describe("a purchase", () => {
  it("leads from the checkout over the success page to a working key, without scripts", async () => {
    const { sessionId, cookie } = await app.begin("pro");
    expect((await look(sessionId, cookie)).html).toContain("The payment is not finished.");
    app.stripe.state.complete(sessionId);
    expect((await look(sessionId)).html).toContain("Open this page in the browser that you paid with.");
    const page = await look(sessionId, cookie);
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, expect.stringContaining("no-store")]);
    expect(page.html).toContain('<form action="/api/v1/payment/reveal" method="post">');
    expect(page.html).toContain('<meta name="referrer" content="no-referrer"');
    expect(page.html).not.toMatch(/ltf_[0-9A-Za-z]{38}/);

    const form = { "content-type": "application/x-www-form-urlencoded", cookie };
    const shown = await post("/api/v1/payment/reveal", `session_id=${sessionId}`, form);
    expect([shown.status, shown.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const [key] = /ltf_[0-9A-Za-z]{38}/.exec(shown.text) as unknown as [string];
    const authorization = `Bearer ${key}`;
    const status = await fetch(`${app.origin}/api/v1/cron/status`, { headers: { authorization } });
    expect([status.status, status.headers.get("x-ratelimit-limit")]).toEqual([200, "50000"]);
    expect((await look(sessionId, cookie)).html).toContain("The key of this purchase was already shown.");
    const portal = await post("/api/v1/payment/portal", "", { authorization });
    expect([portal.status, JSON.parse(portal.text).url]).toEqual([200, expect.stringContaining("billing.stripe.com")]);
    for (const secret of [key, sessionId, cookie.split("=")[1] as string, ...Object.values(stripeSecrets)]) {
      expect([secret, app.output().includes(secret)]).toEqual([secret, false]);
    }
  });

  it("is shown by a page without external resources or referrer, or as JSON, once, also on errors", async () => {
    const { sessionId, cookie } = await app.begin("starter");
    app.stripe.state.complete(sessionId);
    const body = JSON.stringify({ session_id: sessionId });
    const asForm = { "content-type": "application/x-www-form-urlencoded" };
    const reveal = (text: string, headers: Record<string, string> = {}) =>
      post("/api/v1/payment/reveal", text, headers);
    const answers = [
      await reveal(body),
      await reveal(`session_id=${sessionId}`, asForm),
      await reveal(body, { cookie }),
      await reveal(body, { cookie }),
      await reveal(`session_id=${sessionId}`, { ...asForm, cookie }),
      await reveal('{"session_id":["cs_1"]}', { cookie }),
      await reveal("", { ...asForm, cookie }),
      await reveal('{"session_id":"cs_test_none"}', { cookie }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 200, 409, 409, 400, 400, 404]);
    expect(JSON.parse(answers[2]?.text ?? "")).toEqual({
      api_key: expect.stringMatching(/^ltf_[0-9A-Za-z]{38}$/),
      tier: "starter",
      note: expect.any(String),
    });
    for (const { headers } of answers) expect(headers.get("cache-control")).toBe("no-store");
    expect(answers[2]?.headers.get("referrer-policy")).toBe("no-referrer");
    for (const { headers, text } of [1, 4, 6].map((index) => answers[index] as (typeof answers)[number])) {
      expect([headers.get("content-type"), headers.get("referrer-policy")]).toEqual([
        ...["text/html; charset=utf-8", "no-referrer"],
      ]);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(text).toMatch(/<html lang="en">[\s\S]*<title>[\s\S]*<h1>/);
      expect(text).not.toMatch(/<script|<link|src=|ltf_/);
    }
  });

  it("is not begun by an invalid request, nor changed by an unsigned or oversized event", async () => {
    for (const body of ['{"tier":"free"}', '{"tier":1}', "[]", "tier=pro"])
      expect([body, (await post("/api/v1/payment/checkout", body)).status]).toEqual([body, 400]);
    expect((await post("/api/webhooks/stripe", "{}")).status).toBe(400);
    expect((await post("/api/webhooks/stripe", " ".repeat(512 * 1024 + 1))).status).toBe(413);
  });

  it("has no portal without a key, and for a key of an operator", async () => {
    expect((await post("/api/v1/payment/portal", "")).status).toBe(401);
    const authorization = `Bearer ${(await issueKey("pro")).key}`;
    expect((await post("/api/v1/payment/portal", "", { authorization })).status).toBe(404);
  });

  it("refuses another one of the same browser for an hour, and says why on the pricing page", async () => {
    const { sessionId, cookie } = await app.begin("starter");
    app.stripe.state.complete(sessionId);
    const again = await post("/api/v1/payment/checkout", '{"tier":"pro"}', { cookie });
    expect([again.status, JSON.parse(again.text).code]).toEqual([409, "conflict"]);
    expect((await post("/api/v1/payment/checkout", '{"tier":"pro"}')).status).toBe(200);
    const html = await (await fetch(`${app.origin}/pricing?failed=pro&reason=bought`)).text();
    expect(html).toContain("This browser has bought a tier in the last hour.");
  });

  it("has no portal once its customer was deleted, and the answer says what to do", async () => {
    const { sessionId, cookie } = await app.begin("pro");
    app.stripe.state.complete(sessionId);
    const { text } = await post("/api/v1/payment/reveal", JSON.stringify({ session_id: sessionId }), { cookie });
    app.stripe.state.deleteCustomer(sessionId);
    const authorization = `Bearer ${JSON.parse(text).api_key}`;
    const portal = await post("/api/v1/payment/portal", "", { authorization });
    expect([portal.status, JSON.parse(portal.text).error]).toEqual([404, expect.stringContaining("no longer has")]);
  });

  it("has a page that says what to do while the provider does not respond, and none for an invalid URL", async () => {
    const { sessionId, cookie } = await app.begin("pro");
    for (const strange of ["", "cs_<script>", `${sessionId}&session_id=${sessionId}`]) {
      const { html } = await look(strange, cookie);
      expect([html.includes("Purchase not found"), html.includes("cs_<script>")]).toEqual([true, false]);
    }
    app.stripe.mode = "down";
    expect((await look(sessionId, cookie)).html).toMatch(/check your purchase[\s\S]*did not respond[\s\S]*Check again/);
    app.stripe.mode = "fine";
  });

  it("is fulfilled by events in any order, and its tier follows them", async () => {
    const { sessionId, cookie } = await app.begin("starter");
    app.stripe.state.complete(sessionId);
    const url = `${app.origin}/api/webhooks/stripe`;
    const events = app.stripe.state.events.splice(0).reverse();
    for (const event of [...events, ...events]) expect(await app.stripe.deliver(url, event)).toBe(200);
    const { text } = await post("/api/v1/payment/reveal", JSON.stringify({ session_id: sessionId }), { cookie });
    const authorization = `Bearer ${JSON.parse(text).api_key}`;
    const limit = async () => {
      const answer = await fetch(`${app.origin}/api/v1/cron/status`, { headers: { authorization } });
      return answer.headers.get("x-ratelimit-limit");
    };
    expect(await limit()).toBe("5000");
    app.stripe.state.end(sessionId);
    for (const event of app.stripe.state.events.splice(0)) await app.stripe.deliver(url, event);
    expect(await limit()).toBe("100");
  });

  it("is begun by the form of the pricing page without scripts, and not from another origin", async () => {
    const html = await (await fetch(`${app.origin}/pricing`)).text();
    const form = html.split("<form").find((part) => part.includes('value="starter"')) ?? "";
    const fields = new FormData();
    for (const [, name = "", value = ""] of form.matchAll(/<input type="hidden" name="([^"]*)"(?: value="([^"]*)")?/g))
      fields.append(name, value.replaceAll("&quot;", '"'));
    const send = (origin: string) =>
      fetch(`${app.origin}/pricing`, { method: "POST", headers: { origin }, body: fields, redirect: "manual" });
    const { status, headers } = await send(app.origin);
    expect([status, headers.get("location")]).toEqual([303, expect.stringContaining("/c/pay/cs_")]);
    expect(headers.get("set-cookie")).toMatch(/^tapedeck_checkout=[\w-]{43}; /);
    const forged = await send("https://evil.example");
    expect([forged.status >= 400, forged.headers.get("set-cookie")]).toEqual([true, null]);
  });

  it("that is cancelled has a page to return to", async () => {
    const answer = await fetch(`${app.origin}/pricing/cancelled`);
    expect([answer.status, (await answer.text()).includes("Purchase cancelled.")]).toEqual([200, true]);
  });
});

describe("without configured payment", () => {
  it("a checkout is 500 and names the missing settings; an invalid tier is still 400", async () => {
    const ask = async (body: string) => {
      const answer = await fetch(`${inject("baseUrl")}/api/v1/payment/checkout`, { method: "POST", body });
      return { status: answer.status, json: await answer.json() };
    };
    const missing = await ask('{"tier":"starter"}');
    expect([missing.status, missing.json.code]).toEqual([500, "internal_error"]);
    for (const name of [...Object.keys(stripeSecrets), ...Object.keys(stripePrices)]) {
      expect(missing.json.error).toContain(name);
    }
    expect((await ask('{"tier":"gold"}')).status).toBe(400);
  });
});
