import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { sealContact } from "#lib/tracking/digests/contacts";
import { runCommand } from "#tests/support/run-cli";
import { sharedDatabase } from "#tests/support/shared-database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";
import { testKeys } from "#tests/support/webhook-receivers";

const database = sharedDatabase();
const at = new Date("2026-11-21T12:00:00.000Z");
const ENCRYPTION_KEYS = testKeys.map((key) => key.toString("base64")).join(",");
const accounts = (...args: string[]) =>
  runCommand(["accounts", ...args], {
    environment: { DATABASE_URL: database.url, LOG_LEVEL: "warn", ENCRYPTION_KEYS },
  });

/** The columns by which rows belong to an account. A new one has to be deleted with the account too. */
const ownerColumns = [
  "accounts.mailbox_hash",
  "api_keys.account_id",
  "api_keys.limit_id",
  "checkouts.account_id",
  "checkouts.buyer_id",
  "digests.account_id",
  "key_links.mailbox_hash",
  "limit_windows.subject",
  "mcp_sessions.limit_id",
  "mcp_sessions.subject",
  "subscriptions.account_id",
  "vendors.account_id",
  "webhooks.account_id",
  "webhooks.limit_id",
];

/** Returns how many rows each table has. */
async function countRows(): Promise<Record<string, number>> {
  const tables = await database.client.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`;
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await database.client.$queryRawUnsafe<{ count: number }[]>(`SELECT count(*)::int FROM "${name}"`);
    counts[name] = row?.count ?? 0;
  }
  return counts;
}

/** Creates an account that has rows in every table. */
async function addAccount(status: string) {
  const { client } = database;
  const context = { database: client, clock: systemClock, ids: systemIds };
  const { key, stored } = await createKey(context, { tier: "pro", label: "Acme" });
  const { accountId, limitId } = stored;
  const mailboxHash = randomUUID().padEnd(43, "x");
  await client.account.update({ where: { id: accountId }, data: { mailboxHash } });
  const id = randomUUID();
  const { slug } = await addVendor(client, { accountId });
  for (const text of ["# One\n", "# Two\n"]) await addVersion(client, slug, text, at);
  const times = { createdAt: at, updatedAt: at };
  await client.webhook.create({
    data: { id, accountId, limitId, url: "https://a.example/hook", events: [], secret: "sealed-secret", ...times },
  });
  await client.webhookEvent.create({ data: { id, type: "t", body: "{}", createdAt: at } });
  await client.webhookDelivery.create({ data: { id, webhookId: id, eventId: id, nextAttemptAt: at, createdAt: at } });
  const contact = sealContact(testKeys, id, { address: "you@example.com", unsubscribeToken: "token" });
  await client.digest.create({
    data: { id, accountId, contact, frequency: "daily", unsubscribeHash: id.padEnd(64), nextDueAt: at, ...times },
  });
  await client.subscription.create({
    data: { id: `sub_${id}`, accountId, customerId: "cus_1", tier: "pro", status, stateAt: at, ...times },
  });
  await client.checkout.create({
    data: { id: accountId, accountId, tier: "pro", nonceHash: "n".repeat(64), createdAt: at },
  });
  await client.checkout.create({
    data: { id, buyerId: accountId, tier: "pro", nonceHash: "n".repeat(64), createdAt: at },
  });
  for (const subject of [`key:${limitId}`, `sends:1:account:${accountId}`])
    await client.limitWindow.create({ data: { subject, day: at, count: 1 } });
  await client.mcpSession.create({
    data: { id, limitId, subject: `key:${limitId}`, protocolVersion: "1", position: 0, createdAt: at, lastSeenAt: at },
  });
  await client.keyLink.create({ data: { mailboxHash, tokenHash: id.padEnd(64), expiresAt: at } });
  return { key, accountId, slug };
}

describe("tapedeck accounts", () => {
  test("deletes all rows of an account and none of another one, after a dry run that deletes nothing", async () => {
    await addAccount("canceled");
    const before = await countRows();
    const { accountId } = await addAccount("canceled");
    const filled = await countRows();
    const dry = await accounts("delete", accountId, "--dry-run");
    expect(dry.stdout).toBe(`Would delete account ${accountId}, with 1 key, 1 vendor, 1 webhook, 1 digest.\n`);
    expect(await countRows()).toEqual(filled);
    const { code, stdout, stderr } = await accounts("delete", accountId, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      accountId,
      deleted: { purchases: 2, webhookEvents: 1, requestCounts: 2 },
    });
    expect(stderr).toBe("");
    // Contents are shared by vendors, and pruned when none has them.
    const { contents: _contents, ...left } = await countRows();
    expect(before).toMatchObject(left);
    expect(await accounts("delete", accountId)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no account"),
    });
  });

  test("knows all columns by which rows belong to an account", async () => {
    const rows = await database.client.$queryRaw<{ name: string }[]>`
      SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND (column_name ~ '^(account|buyer|limit)_id$' OR column_name IN ('mailbox_hash', 'subject'))`;
    expect(rows.map(({ name }) => name).sort()).toEqual(ownerColumns);
  });

  test("deletes no account whose subscription runs, unless it is forced, and names the customer that stays", async () => {
    const { accountId } = await addAccount("past_due");
    const before = await countRows();
    const refused = await accounts("delete", accountId);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/subscription sub_.* --force/)]);
    expect(await countRows()).toEqual(before);
    const forced = await accounts("delete", accountId, "--force");
    expect([forced.code, forced.stderr]).toEqual([0, expect.stringContaining("customer cus_1")]);
  });

  test("lists accounts with their payments, and exports one without secrets", async () => {
    const { accountId, slug } = await addAccount("active");
    const { stdout } = await accounts("list");
    expect(stdout).toMatch(/^ACCOUNT +TIER +KEYS +PAYMENT +CUSTOMER +SINCE +LABEL\n/);
    const line = stdout.split("\n").find((text) => text.startsWith(accountId));
    expect(line).toMatch(/ {2}pro +1 {2}active +cus_1 +\d{4}-\d\d-\d\d {2}Acme$/);
    const exported = (await accounts("export", accountId)).stdout;
    expect(JSON.parse(exported)).toMatchObject({
      id: accountId,
      keys: [{ lastFour: expect.any(String) }],
      vendors: [{ slug, _count: { snapshots: 2 } }],
      webhooks: [{ url: "https://a.example/hook", _count: { deliveries: 1 } }],
      digests: [{ address: "you@example.com" }],
      subscription: { customerId: "cus_1" },
    });
    for (const secret of ["sealed-secret", '"hash"', "token"]) expect(exported).not.toContain(secret);
  });
});
