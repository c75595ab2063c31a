import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Check } from "#lib/cli/doctor/check";
import { cronJobs } from "#lib/jobs/index";
import { systemClock } from "#lib/platform/clock";
import { encryptText } from "#lib/platform/encryption";
import { hourMs } from "#lib/platform/time";
import { BlobDouble, blobToken } from "#tests/support/blob-double";
import { isExtended } from "#tests/support/extended";
import { listen } from "#tests/support/listen";
import { MailServer } from "#tests/support/mail-server";
import { startPgBouncer } from "#tests/support/pgbouncer";
import { RedisConnection, type RedisServer, startRedis } from "#tests/support/redis";
import { runCli, runCommand } from "#tests/support/run-cli";
import { sharedDatabase } from "#tests/support/shared-database";
import { StripeDouble, stripeSecrets } from "#tests/support/stripe-double";
import { temporaryFolder } from "#tests/support/temporary-folder";
import { UpstashDouble, upstashToken } from "#tests/support/upstash-double";
import { idsAt } from "#tests/support/vendor-rows";
import { addWebhook } from "#tests/support/webhook-rows";
import { redirectBlob } from "../support/redirect-blob.mjs";

const key = Buffer.alloc(32, 7);
const encoded = key.toString("base64");

const database = sharedDatabase();
let redis: RedisServer;
let upstash: UpstashDouble;
let blob: BlobDouble;
const folder = temporaryFolder();
let restoreBlob: () => Promise<void>;
beforeAll(async () => {
  [redis, blob] = await Promise.all([startRedis(), new BlobDouble().start()]);
  upstash = await UpstashDouble.start(redis.port);
  restoreBlob = redirectBlob(blob.origin);
  blob.set("cassettes/legal/one.json", "{}");
  const id = await addWebhook(database.client, { secret: "" });
  await database.client.webhook.update({ where: { id }, data: { secret: encryptText([key], "s", `webhook:${id}`) } });
  const at = new Date();
  for (const { name: job } of cronJobs) {
    const run = { id: idsAt(at).next(), job, status: "completed", startedAt: at, finishedAt: at } as const;
    await database.client.cronRun.create({ data: run });
  }
});
afterAll(async () => {
  await restoreBlob();
  await Promise.all([upstash.close(), blob.close()]);
  await redis.stop();
});

/** Sends the API's requests of the Blob client to the double. */
const redirect = pathToFileURL(join(import.meta.dirname, "../support/redirect-blob.mjs")).href;
const good = () => ({
  DATABASE_URL: database.url,
  ENCRYPTION_KEYS: encoded,
  LOG_LEVEL: "silent",
  ...upstash.environment,
  CASSETTE_STORE: "blob",
  BLOB_READ_WRITE_TOKEN: blobToken,
  VERCEL_BLOB_RETRIES: "0",
  BLOB_DOUBLE_ORIGIN: blob.origin,
  NODE_OPTIONS: `--import=${redirect}`,
});

/**
 * Runs the command, in a process of its own with `isSpawned`. A busy machine answers late; a store that never answers is not
 * waited for so long.
 */
async function doctor(
  changes: Record<string, string | undefined> = {},
  { timeout = "60", isSpawned = false }: { timeout?: string; isSpawned?: boolean } = {},
) {
  const { code, stdout, stderr } = await (isSpawned ? runCli : runCommand)(["doctor", "--json", "--timeout", timeout], {
    environment: { ...good(), ...changes },
  });
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return { code, stdout, stderr, checks, failed: checks.filter(({ status }) => status === "fail") };
}

describe("tapedeck doctor without a command", () => {
  test("finds nothing wrong with a good installation, and leaves nothing in its stores", async () => {
    const { code, checks, stderr } = await doctor({}, { isSpawned: true });
    expect([code, stderr, checks.filter(({ status }) => status !== "ok")]).toEqual([0, "", []]);
    expect(checks.map(({ name }) => name)).toEqual([
      ...["configuration", "node", "base-url", "secrets", "database", "clock", "migrations", "queue-tables"],
      ...["queues", "worker", "jobs", "encryption-keys", "cassettes", "redis"],
    ]);
    const connection = await RedisConnection.open(redis.port);
    expect(await connection.send(["KEYS", "*"])).toEqual([]);
    connection.close();
    const written = blob.requests.filter(({ kind }) => kind === "put").map(({ pathname }) => pathname);
    expect([written.length, written.map((name) => blob.contentOf(name))]).toEqual([1, [undefined]]);
  });

  test("names what is wrong with a bad one, one line each, without a secret", async () => {
    const environment = {
      ...good(),
      DATABASE_URL: "postgres://tapedeck:secret-of-the-database@127.0.0.1:1/tapedeck",
      PORT: "seventy",
      MAIL_FROM: "alerts@tapes.example",
      CASSETTE_STORE: "folder",
      CASSETTE_DIR: join(folder, "missing"),
      METRICS_TOKEN: "short secret",
      UPSTASH_REDIS_REST_TOKEN: "secret-of-redis",
      STRIPE_SECRET_KEY: "secret-of-stripe",
    };
    const { code, stdout, stderr } = await runCommand(["doctor"], { environment });
    const lines = stdout.trim().split("\n");
    expect([code, stderr]).toEqual([1, "7 checks failed.\n"]);
    for (const line of lines) expect(line).toMatch(/^(ok {2}|warn|fail) {2}[a-z-]+ +\S/);
    const names = lines.filter((line) => line.startsWith("fail")).map((line) => line.split(/\s+/)[1]);
    const settings = Array(4).fill("configuration");
    expect(names).toEqual([...settings, "database", "cassettes", "redis"]);
    expect(stdout).toMatch(/PORT: must be a port number[\s\S]*METRICS_TOKEN: must have[\s\S]*STRIPE_SECRET_KEY: needs/);
    expect(stdout).toContain("MAIL_FROM: needs SMTP_URL");
    for (const secret of ["secret-of", "short secret", blobToken, encoded])
      expect(stdout + stderr).not.toContain(secret);
  });

  test("compares prices and events with those of Stripe", async () => {
    const anHourAgo = { ...systemClock, now: () => new Date(Date.now() - hourMs) };
    const stripe = await StripeDouble.start(anHourAgo);
    const good = await doctor(stripe.environment);
    const paymentChecks = (checks: readonly Check[]) => checks.filter(({ name }) => name.startsWith("payment-"));
    expect(paymentChecks(good.checks)).toMatchObject([
      { status: "ok", name: "payment-events", seen: expect.stringContaining("no events") },
      { status: "ok", name: "payment-prices" },
    ]);
    const plan = { price: "price_pro", metadata: {} };
    stripe.state.change(stripe.state.newSubscription("sub_1", "cus_1", plan), { status: "active" });
    const { code, failed, stdout } = await doctor({ ...stripe.environment, STRIPE_PRICE_STARTER: "price_pro" });
    expect([code, failed]).toMatchObject([
      1,
      [
        { name: "payment-events", seen: expect.stringMatching(/newest event .*was not received/) },
        { name: "payment-prices", seen: expect.stringContaining("99.00 USD") },
      ],
    ]);
    for (const secret of Object.values(stripeSecrets)) expect(stdout).not.toContain(secret);
  });

  test.runIf(isExtended)("logs in to the mail server, and shows no password of one that refuses", async () => {
    const mail = new MailServer();
    await mail.start();
    try {
      const withPassword = (password: string) => ({
        MAIL_FROM: "alerts@tapes.example",
        BASE_URL: "http://127.0.0.1:3000",
        SMTP_URL: mail.url.replace("//", `//mailer:${password}@`),
      });
      const good = await doctor(withPassword("right"));
      expect(good.checks.find(({ name }) => name === "mail")).toMatchObject({
        status: "ok",
        seen: expect.stringContaining("takes the login"),
      });
      const bad = await doctor(withPassword("very-wr%40ng"));
      expect([bad.code, bad.failed]).toMatchObject([1, [{ name: "mail", seen: expect.stringContaining("535") }]]);
      expect(bad.stdout + bad.stderr).not.toMatch(/very-wr/);
    } finally {
      await mail.stop();
    }
  });

  test.runIf(isExtended)("counts the secrets that no key opens", async () => {
    const { code, failed } = await doctor({ ENCRYPTION_KEYS: Buffer.alloc(32, 8).toString("base64") });
    expect([code, failed]).toMatchObject([1, [{ name: "encryption-keys", seen: expect.stringContaining("1 of 1") }]]);
  });

  const empty = sharedDatabase({ isEmpty: true });
  test.runIf(isExtended)("finds a database without tables, and checks nothing in it", async () => {
    const { checks, failed } = await doctor({ DATABASE_URL: empty.url });
    expect(failed.map(({ name }) => name)).toEqual(["migrations", "queue-tables"]);
    expect(checks.map(({ name }) => name)).not.toContain("queues");
  });

  test.runIf(isExtended)("notes a pooler in front of the database", async () => {
    const pooler = await startPgBouncer(database.url);
    onTestFinished(pooler.stop);
    const { code, checks } = await doctor({ DATABASE_URL: pooler.url });
    const { seen } = checks.find(({ name }) => name === "database") ?? {};
    expect([code, seen]).toEqual([0, expect.stringContaining("behind a pooler")]);
  });

  test.runIf(isExtended)("finds stores that refuse its token, or do not answer", async () => {
    blob.mode = "slow";
    const port = await listen(createServer(() => undefined));
    // The process ends, although the client of Upstash Search would wait for minutes.
    const silentStores = {
      // A database that is busy may not answer in a second; one that does not run never does.
      DATABASE_URL: undefined,
      TAPEDECK_DATA_DIR: folder,
      UPSTASH_REDIS_REST_TOKEN: `${upstashToken}x`,
      UPSTASH_SEARCH_REST_URL: `http://127.0.0.1:${port}`,
      UPSTASH_SEARCH_REST_TOKEN: "token",
    };
    const { failed } = await doctor(silentStores, { timeout: "1", isSpawned: true });
    blob.mode = "fine";
    expect(failed.map(({ name }) => name)).toEqual(["database", "cassettes", "redis", "search"]);
  });
});
