import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { type App, loadApp } from "#tests/support/app-routes";
import { sharedDatabase } from "#tests/support/shared-database";
import { StripeDouble } from "#tests/support/stripe-double";

type Name = "v1/payment/checkout" | "v1/payment/reveal" | "v1/payment/portal" | "webhooks/stripe";

const database = sharedDatabase();
let double: StripeDouble;
let app: App;
beforeAll(async () => {
  double = await StripeDouble.start(systemClock);
  const environment = { ...double.environment, DATABASE_URL: database.url, LOG_LEVEL: "silent" };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  // The environment is read once per process, so the modules are loaded again with the database and provider configured.
  vi.resetModules();
  app = await loadApp();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await double.close();
});
beforeEach(() => {
  double.mode = "fine";
  double.state.events.length = 0;
});

async function post(name: Name, body: string, headers: Record<string, string> = {}) {
  const init = { method: "POST", body, headers: { host: "127.0.0.1:3000", ...headers } };
  const answer = await app(new Request(`http://127.0.0.1:3000/api/${name}`, init));
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const errorOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).code];

async function begin(tier = "starter") {
  const { headers, text } = await post("v1/payment/checkout", JSON.stringify({ tier }));
  const sessionId = JSON.parse(text).url.split("/").at(-1) as string;
  return { sessionId, cookie: headers.get("set-cookie")?.split(";")[0] as string };
}

async function buy() {
  const purchase = await begin();
  double.state.complete(purchase.sessionId);
  for (const event of double.state.events.splice(0)) {
    const { body, signature } = double.sign(event);
    const answer = await post("webhooks/stripe", body, { "stripe-signature": signature });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { received: true }]);
  }
  return purchase;
}

describe("POST /api/v1/payment/checkout", () => {
  test("returns the provider's URL and a cookie, and nothing else", async () => {
    const { status, headers, text } = await post("v1/payment/checkout", '{"tier":"pro"}');
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { url: expect.stringMatching(/^https:\/\/checkout\.stripe\.com/) },
    ]);
    expect(headers.get("set-cookie")).toMatch(/^tapedeck_checkout=.*HttpOnly; SameSite=Lax$/);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test.each(['{"tier":"free"}', '{"tier":"enterprise"}', '{"tier":1}', "{}", "[]", "", "tier=pro"])(
    "refuses %s, and leaves nothing behind",
    async (body) => {
      const before = await database.client.checkout.count();
      expect(errorOf(await post("v1/payment/checkout", body))).toEqual([400, "bad_request"]);
      expect(await database.client.checkout.count()).toBe(before);
    },
  );
});

describe("POST /api/v1/payment/reveal", () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };

  test("responds to JSON with JSON, once", async () => {
    const { sessionId, cookie } = await buy();
    const body = JSON.stringify({ session_id: sessionId });
    expect(errorOf(await post("v1/payment/reveal", body))).toEqual([403, "forbidden"]);
    const answer = await post("v1/payment/reveal", body, { cookie });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { api_key: expect.stringMatching(/^ltf_[0-9A-Za-z]{38}$/), tier: "starter", note: expect.any(String) },
    ]);
    expect([answer.headers.get("cache-control"), answer.headers.get("referrer-policy")]).toEqual([
      "no-store",
      "no-referrer",
    ]);
    expect(errorOf(await post("v1/payment/reveal", body, { cookie }))).toEqual([409, "conflict"]);
  });

  test("responds to a form with a page without external resources or referrer, also on errors", async () => {
    const { sessionId, cookie } = await buy();
    const body = new URLSearchParams({ session_id: sessionId }).toString();
    const wrong = await post("v1/payment/reveal", body, form);
    const right = await post("v1/payment/reveal", body, { ...form, cookie });
    const again = await post("v1/payment/reveal", body, { ...form, cookie });
    expect([wrong.status, right.status, again.status]).toEqual([403, 200, 409]);
    for (const { headers, text } of [wrong, right, again]) {
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(text).toMatch(/<html lang="en">[\s\S]*<title>[\s\S]*<h1>/);
      expect(text).not.toMatch(/<script|<link|src=/);
    }
    const [key] = /ltf_[0-9A-Za-z]{38}/.exec(right.text) as unknown as [string];
    expect(await database.client.apiKey.count({ where: { lastFour: key.slice(-4) } })).toBe(1);
    expect([wrong.text, again.text].join()).not.toContain("ltf_");
  });

  test.each(["", "{}", '{"session_id":"sub_1"}', '{"session_id":["cs_1"]}', `{"session_id":"cs_${"a".repeat(300)}"}`])(
    "refuses %s",
    async (body) => {
      expect(errorOf(await post("v1/payment/reveal", body))).toEqual([400, "bad_request"]);
      const asForm = await post("v1/payment/reveal", body, form);
      expect([asForm.status, asForm.text.includes("<script")]).toEqual([400, false]);
    },
  );

  test("an unknown purchase is not found", async () => {
    expect(errorOf(await post("v1/payment/reveal", '{"session_id":"cs_test_none"}'))).toEqual([404, "not_found"]);
  });
});

describe("POST /api/v1/payment/portal", () => {
  test("returns the portal of the calling key's own customer", async () => {
    const { sessionId, cookie } = await buy();
    const { text } = await post("v1/payment/reveal", JSON.stringify({ session_id: sessionId }), { cookie });
    const authorization = `Bearer ${JSON.parse(text).api_key}`;
    const answer = await post("v1/payment/portal", "", { authorization });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { url: expect.stringMatching(/^https:\/\/billing\.stripe\.com\//) },
    ]);
    expect(double.state.portals.at(-1)).toEqual({
      customer: double.state.subscriptionOf(sessionId).customer,
      return_url: "http://127.0.0.1:3000/",
    });
  });

  test("requires a key, and has no portal for a key issued by an operator", async () => {
    expect(errorOf(await post("v1/payment/portal", ""))).toEqual([401, "unauthorized"]);
    const context = { database: database.client, clock: systemClock, ids: systemIds };
    const { key } = await createKey(context, { tier: "pro" });
    expect(errorOf(await post("v1/payment/portal", "", { authorization: `Bearer ${key}` }))).toEqual([
      404,
      "not_found",
    ]);
  });
});

describe("POST /api/webhooks/stripe", () => {
  test("rejects unsigned and oversized events", async () => {
    expect(errorOf(await post("webhooks/stripe", "{}"))).toEqual([400, "bad_request"]);
    const large = await post("webhooks/stripe", " ".repeat(512 * 1024 + 1));
    expect(errorOf(large)).toEqual([413, "payload_too_large"]);
  });
});
