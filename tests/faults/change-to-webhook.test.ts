import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { runCommand } from "#tests/support/run-cli";
import { type Served, serve } from "#tests/support/serve";
import { sharedDatabase } from "#tests/support/shared-database";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";
import { addVendor } from "#tests/support/vendor-rows";
import { Receiver } from "#tests/support/webhook-receivers";

const key = Buffer.alloc(32, 5).toString("base64");
const first =
  "# Acme\n\n> What it offers.\n\n## API\n\n- [Charges](https://docs.example.com/charges): take a payment\n";
const second = `${first}\nBreaking change: the charges API is deprecated and will be removed on 1 March 2027.\n`;

const database = sharedDatabase();
let testVendors: TestVendors;
let receiver: Receiver;
let app: Served;
let environment: Record<string, string>;
beforeAll(async () => {
  testVendors = await startTestVendors({ vendorCount: 1 });
  const [{ slug, url, host }] = testVendors.vendors as [TestVendors["vendors"][0]];
  await addVendor(database.client, { slug, name: "Acme", llmsTxtUrl: url, domain: host });
  testVendors.setVersions(slug, [first, second]);
  receiver = new Receiver();
  await receiver.start();
  environment = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: key,
    LOG_LEVEL: "warn",
    CASSETTE_STORE: "none",
    OUTBOUND_ALLOWED_HOSTS: [...testVendors.allowedHosts, receiver.host].join(","),
  };
  app = await serve("node", environment);
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
  await testVendors.close();
});

it("a change of high significance is delivered with a signature in the same run, and its report can be fetched", async () => {
  const context = { database: database.client, clock: systemClock, ids: systemIds };
  const { key: apiKey } = await createKey(context, { tier: "pro", label: "test", expiresAt: null });
  const authorization = { authorization: `Bearer ${apiKey}` };
  const registered = await fetch(`${app.origin}/api/v1/webhooks`, {
    method: "POST",
    headers: { ...authorization, "content-type": "application/json" },
    body: JSON.stringify({ url: receiver.url, events: ["intelligence.high_significance"] }),
  });
  expect(registered.status).toBe(201);
  const { secret } = (await registered.json()) as { secret: string };

  const slug = testVendors.vendors[0]?.slug as string;
  const fetchNow = () => runCommand(["vendors", "fetch", slug, "--json"], { environment });
  expect((await fetchNow()).code).toBe(0);
  expect(receiver.received).toEqual([]);
  testVendors.setVersion(slug, 2);
  expect(JSON.parse((await fetchNow()).stdout).outcomes).toEqual({ [slug]: "changed" });

  expect(receiver.received).toHaveLength(1);
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
  expect(headers["x-ltf-signature"]).toBe(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  const event = JSON.parse(body);
  expect(event).toMatchObject({
    type: "intelligence.high_significance",
    data: { vendor: { slug }, diff: { lines_added: 2 } },
  });

  const response = await fetch(`${app.origin}/api/v1/intelligence?vendor=${slug}&min_significance=4`, {
    headers: authorization,
  });
  const { intelligence } = (await response.json()) as { intelligence: { id: string; analysis_mode: string }[] };
  expect(intelligence).toEqual([event.data.report]);
  expect(intelligence[0]?.analysis_mode).toBe("realtime");
  expect(await runCommand(["cron", "run", "analyze-changes", "--json"], { environment })).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining('"analysed": 0'),
  });
});

it("webhooks reencrypt moves secrets to a new encryption key, which then suffices to read them", async () => {
  const newKey = Buffer.alloc(32, 6).toString("base64");
  const reencrypt = (keys: string) =>
    runCommand(["webhooks", "reencrypt"], { environment: { ...environment, ENCRYPTION_KEYS: keys } });
  expect(await reencrypt(newKey)).toMatchObject({ code: 1, stderr: expect.stringContaining("1 cannot be decrypted") });
  expect(await reencrypt(`${newKey},${key}`)).toMatchObject({ code: 0, stdout: "1 encrypted again\n" });
  expect(await reencrypt(newKey)).toMatchObject({ code: 0, stdout: "0 encrypted again\n" });
});
