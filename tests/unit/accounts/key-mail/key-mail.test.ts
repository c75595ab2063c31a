import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { getKeyLink, issueKey, pruneKeyLinks, requestKey } from "#lib/accounts/key-mail/index";
import { rotateKey, verifyKey } from "#lib/accounts/keys/index";
import { maxMailsPerMailbox, maxMailsPerSender } from "#lib/accounts/limits/index";
import { withEnvironment } from "#lib/platform/config";
import type { EncryptionKeys } from "#lib/platform/encryption";
import { systemIds } from "#lib/platform/ids";
import { dayMs } from "#lib/platform/time";
import { createManualClock } from "#tests/support/fetch-context";
import { MailServer } from "#tests/support/mail-server";
import { sharedDatabase } from "#tests/support/shared-database";
import { testKeys } from "#tests/support/webhook-receivers";

const database = sharedDatabase();
const server = new MailServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const { clock, pass } = createManualClock(new Date("2026-03-04T12:00:00Z"));
const logged: string[] = [];
const log = pino({ level: "trace" }, { write: (line: string) => void logged.push(line) });
let count = 0;
let address: string;
beforeEach(() => {
  count += 1;
  address = `user${count}@a.example`;
});

const context = () => ({ database: database.client, clock, ids: systemIds, log });
const request = (email = address, { keys = testKeys as EncryptionKeys, network = `10.0.0.${count}` } = {}) =>
  requestKey({ ...context(), clientAddress: () => network }, { body: { email } }, { settings: server.settings, keys });
const tokenOf = (email = address) => /link\?token=([\w-]{43})\n/.exec(server.to(email).at(-1)?.text ?? "")?.[1] ?? "";
const look = (token = tokenOf()) => getKeyLink(context(), { query: { token } });
const use = (form = "", token = tokenOf(), changes = {}) =>
  issueKey({ ...context(), ...changes }, { query: { token }, rawBody: Buffer.from(form) });
const callerOf = (key: string) => verifyKey(context(), `Bearer ${key}`);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    ({ code, message }) => code ?? message,
  );

/** Asks for a key and issues it. */
async function getKey(form = "") {
  await request();
  return use(form);
}

describe("a key by mail", () => {
  it("is of the free tier for a new address, and the link works once and changes nothing before", async () => {
    expect(await request()).toEqual({ note: expect.any(String), expires_at: "2026-03-05T12:00:00.000Z" });
    expect(await look()).toEqual({ accounts: [] });
    expect(await look()).toEqual({ accounts: [] });
    const { key } = await use();
    expect(await callerOf(key)).toMatchObject({ tier: "free" });
    expect([await codeOf(look()), await codeOf(use())]).toEqual(["not_found", "not_found"]);
  });

  it("is for addresses with an account only where sign-up is closed, and the link is kept", async () => {
    await withEnvironment({ OPEN_SIGN_UP: "off" }, async () => {
      await request();
      expect(server.to(address).at(-1)?.text).not.toContain("free tier");
      expect([await codeOf(look()), await codeOf(use())]).toEqual(["conflict", "conflict"]);
    });
    const { key } = await use();
    await withEnvironment({ OPEN_SIGN_UP: "off" }, getKey);
    expect(await codeOf(callerOf(key))).toBe("unauthorized");
  });

  it("is one of the mailbox's account, which keeps its tier and limit, and ends the older keys unless they are kept", async () => {
    const first = await getKey();
    const { accountId, limitId } = first.stored;
    await database.client.account.update({ where: { id: accountId }, data: { tier: "pro" } });
    await request(address.replace("@", "+lost@").toUpperCase());
    const second = await use(
      "keep_keys=on",
      tokenOf(address.replace("@", "+lost@").toUpperCase().replace("A.EXAMPLE", "a.example")),
    );
    expect(await callerOf(second.key)).toMatchObject({ tier: "pro", accountId, limitId });
    expect(await callerOf(first.key)).toMatchObject({ accountId });
    const third = await getKey();
    expect(await callerOf(third.key)).toMatchObject({ tier: "pro", accountId, limitId });
    for (const { key } of [first, second]) expect(await codeOf(callerOf(key))).toBe("unauthorized");
  });

  it("is issued once by concurrent requests, for one account", async () => {
    await request();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => codeOf(use())));
    expect(outcomes.sort()).toEqual(["done", ...Array(4).fill("not_found")]);
  });

  it("leaves no older key working that is rotated at the same time", async () => {
    let { key } = await getKey();
    for (let round = 0; round < 2; round += 1) {
      await request();
      const caller = await callerOf(key);
      const [issued, rotated] = await Promise.all([
        use(),
        rotateKey({ ...context(), caller }, { query: {} }).catch(() => null),
      ]);
      expect(await codeOf(callerOf(key))).toBe("unauthorized");
      if (rotated) expect(await codeOf(callerOf(rotated.new_key))).toBe("unauthorized");
      key = issued.key;
      expect(await codeOf(callerOf(key))).toBe("done");
    }
  });

  it("leaves link and keys as they were when issuing fails halfway", async () => {
    const { key } = await getKey();
    await request();
    const ids = {
      next: () => {
        throw new Error("killed");
      },
    };
    expect(await codeOf(use("", tokenOf(), { ids }))).toBe("killed");
    expect(await codeOf(callerOf(key))).toBe("done");
    expect(await codeOf(use())).toBe("done");
  });

  it("is of the chosen account where a mailbox has several, by default of the one with the highest tier", async () => {
    const free = await getKey();
    const { mailboxHash } = await database.client.account.findUniqueOrThrow({ where: { id: free.stored.accountId } });
    const paid = { id: systemIds.next(), tier: "starter" as const, mailboxHash };
    await database.client.account.create({ data: paid });
    await request();
    expect((await look()).accounts.map(({ id, lastFour }) => [id, lastFour])).toEqual([
      [paid.id, null],
      [free.stored.accountId, free.key.slice(-4)],
    ]);
    const other = systemIds.next();
    await database.client.account.create({ data: { id: other, tier: "pro" } });
    for (const form of [`account=${other}`, "account=x"]) expect(await codeOf(use(form))).toBe("bad_request");
    const chosen = await use(`account=${free.stored.accountId}`);
    expect(chosen.stored.accountId).toBe(free.stored.accountId);
    expect((await getKey()).stored.accountId).toBe(paid.id);
  });

  it("finds an account after the encryption keys were rotated, also without the old one once it was used", async () => {
    const [older, newer] = [testKeys, [randomBytes(32)]];
    const accounts = [];
    for (const keys of [older, [...newer, ...older], newer]) {
      await request(address, { keys });
      accounts.push((await use()).stored.accountId);
    }
    expect(new Set(accounts).size).toBe(1);
  });
});

describe("a link", () => {
  it("ends after 24 hours, with the next mail, and is pruned", async () => {
    await request();
    const first = tokenOf();
    await request();
    expect(await codeOf(look(first))).toBe("not_found");
    pass(dayMs);
    expect([await codeOf(look()), await codeOf(use())]).toEqual(["not_found", "not_found"]);
    await pruneKeyLinks(database.client, { now: clock.now(), limit: 1_000 });
    expect(await database.client.keyLink.count()).toBe(0);
  });

  it("is mailed to a mailbox and for a network only so often, and not kept if the mail server refuses the address", async () => {
    for (let index = 0; index < maxMailsPerMailbox; index += 1) await request();
    expect(await codeOf(request())).toBe("rate_limited");
    const left = maxMailsPerSender - maxMailsPerMailbox - 1;
    for (let index = 0; index < left; index += 1) await request(`x${index}-${address}`);
    expect(await codeOf(request(`y-${address}`))).toBe("rate_limited");
    const linkCount = await database.client.keyLink.count();
    server.onRecipient = () => ({ status: 550, message: "no" });
    expect(await codeOf(request(`z-${address}`, { network: "10.1.1.1" }))).toBe("bad_request");
    server.onRecipient = () => null;
    expect(await database.client.keyLink.count()).toBe(linkCount);
  });

  it("and its address are neither stored nor logged", async () => {
    await request();
    const token = tokenOf();
    const { key, stored } = await use();
    await request();
    const { client } = database;
    const rows = JSON.stringify([
      ...[await client.account.findMany(), await client.apiKey.findMany(), await client.keyLink.findMany()],
      await client.limitWindow.findMany(),
    ]);
    expect(rows).toContain(stored.accountId);
    for (const text of [rows, logged.join("")])
      for (const secret of [token, tokenOf(), key, address, address.split("@")[0]]) expect(text).not.toContain(secret);
  });
});
