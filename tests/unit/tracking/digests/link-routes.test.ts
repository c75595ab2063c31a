import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type App, loadApp } from "#tests/support/app-routes";
import { testKeys } from "#tests/support/webhook-receivers";
import { createDigestFixture, type DigestFixture } from "./digest-fixture";

let fixture: DigestFixture;
let app: App;
beforeAll(async () => {
  fixture = await createDigestFixture();
  vi.stubEnv("DATABASE_URL", fixture.database.url);
  vi.stubEnv("ENCRYPTION_KEYS", testKeys.map((key) => key.toString("base64")).join(","));
  vi.stubEnv("LOG_LEVEL", "silent");
  // The environment is read once, so the modules are loaded again with the database configured.
  vi.resetModules();
  app = await loadApp();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await fixture.close();
});

async function ask(kind: "confirm" | "unsubscribe", method: "GET" | "POST", token: string, body?: string) {
  const url = `http://tapes.example:3000/api/v1/digests/${kind}?token=${token}`;
  const headers = { host: "tapes.example:3000", "content-type": "application/x-www-form-urlencoded" };
  const response = await app(new Request(url, { method, headers, ...(body && { body }) }));
  const title = /<h1[^>]*>([^<]*)</.exec(await response.text())?.[1];
  return [response.status, title];
}

it("the pages of a mail's links say what has happened, and mail programs get 200 for an unknown link", async () => {
  const address = "reader@b.example";
  await fixture.subscribe(await fixture.caller(), address);
  const token = fixture.tokenOf(address, "confirm");
  for (const [method, title] of [
    ["GET", "Your address is already confirmed"],
    ["POST", "Your address is confirmed"],
  ] as const)
    expect(await ask("confirm", method, token)).toEqual([200, title]);
  const unknown = "a".repeat(43);
  const invalid = [404, "This link is not valid"];
  expect(await ask("confirm", "GET", unknown)).toEqual(invalid);
  expect(await ask("unsubscribe", "GET", unknown)).toEqual(invalid);
  expect(await ask("unsubscribe", "POST", unknown)).toEqual(invalid);
  const oneClick = await ask("unsubscribe", "POST", unknown, "List-Unsubscribe=One-Click");
  expect(oneClick).toEqual([200, "You are unsubscribed"]);
});
