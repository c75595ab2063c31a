import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { verifyKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { runCli, runCommand } from "#tests/support/run-cli";
import { sharedDatabase } from "#tests/support/shared-database";
import { temporaryFolder } from "#tests/support/temporary-folder";

const database = sharedDatabase();

const environment = () => ({ DATABASE_URL: database.url, LOG_LEVEL: "warn" });
const keys = (...args: string[]) => runCommand(["keys", ...args], { environment: environment() });
const json = async (...args: string[]) => JSON.parse((await keys(...args, "--json")).stdout);
const verify = (key: string) => verifyKey({ database: database.client, clock: systemClock }, `Bearer ${key}`);

describe("tapedeck keys", () => {
  test("creates a key of a tier, prints only the key to standard output, and the key works", async () => {
    const args = ["keys", "create", "--tier", "enterprise", "--label", "Acme"];
    const { code, stdout, stderr } = await runCli(args, { environment: environment() });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ltf_[0-9A-Za-z]{38}\n$/)]);
    expect(stderr).toMatch(/enterprise.*does not expire/s);
    expect((await verify(stdout.trim())).tier).toBe("enterprise");
  });

  test("creates another key for an account, with an expiry date", async () => {
    const first = await json("create", "--tier", "starter");
    const second = await json("create", "--account", first.accountId, "--expires", "30");
    expect(second).toMatchObject({ accountId: first.accountId, tier: "starter", label: null });
    expect(Math.abs(Date.parse(second.expiresAt) - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000);
    const listed = await json("list", "--account", first.accountId);
    expect(listed.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [second.id, "valid"],
      [first.id, "valid"],
    ]);
    expect(JSON.stringify(listed)).not.toContain(first.key.slice(4, 36));
  });

  test("changes the tier of an account; over a subscription only by force, which can be taken back", async () => {
    const { accountId, key } = await json("create", "--tier", "free");
    expect(await keys("tier", accountId, "pro")).toMatchObject({ code: 0, stderr: "" });
    expect((await verify(key)).tier).toBe("pro");
    const at = new Date();
    const times = { stateAt: at, createdAt: at, updatedAt: at };
    await database.client.subscription.create({
      data: { id: "sub_1", accountId, customerId: "cus_1", tier: "pro", status: "active", ...times },
    });
    for (const args of [["starter"], ["starter", "--force"], ["enterprise"]]) {
      const { code, stderr } = await keys("tier", accountId, ...args);
      expect([args, code, stderr]).toEqual([args, 1, expect.stringMatching(/sets its tier: pro\..*--force/)]);
    }
    expect((await verify(key)).tier).toBe("pro");
    expect((await keys("tier", accountId, "enterprise", "--force")).code).toBe(0);
    expect((await verify(key)).tier).toBe("enterprise");
    expect((await keys("tier", accountId, "pro")).code).toBe(0);
    expect((await verify(key)).tier).toBe("pro");
    await database.client.subscription.update({ where: { id: "sub_1" }, data: { status: "canceled" } });
    expect((await keys("tier", accountId, "enterprise")).code).toBe(0);
    expect((await keys("tier", accountId, "free")).code).toBe(0);
    expect(await keys("tier", "00000000-0000-7000-8000-000000000000", "pro")).toMatchObject({ code: 1 });
  });

  test("revokes a key by its last four characters, and lists those that still work", async () => {
    const first = await json("create", "--tier", "pro");
    const second = await json("create", "--account", first.accountId);
    const revoked = await json("revoke", first.key.slice(-4));
    expect(revoked).toMatchObject({ id: first.id, workingKeys: [second.id] });
    await expect(verify(first.key)).rejects.toMatchObject({ code: "unauthorized" });
    const { stdout } = await keys("list");
    expect(stdout.split("\n").find((line) => line.startsWith(first.id))).toContain("revoked");
  });

  test.each([
    [["create"], 2, /--tier/],
    [["create", "--tier", "gold"], 2, /free, starter/],
    [["create", "--tier", "pro", "--account", "00000000-0000-7000-8000-000000000000"], 2, /cannot be used/],
    [["create", "--account", "Acme"], 2, /id of an account/],
    [["create", "--account", "00000000-0000-7000-8000-000000000000"], 1, /no account/],
    [["create", "--tier", "pro", "--expires", "0"], 2, /days/],
    [["revoke", "not a key"], 2, /last four/],
    [["revoke", "zzzz"], 1, /no key/],
  ])("reports what is wrong with %j", async (args, exitCode, message) => {
    const { code, stdout, stderr } = await keys(...args);
    expect([code, stdout, stderr]).toEqual([exitCode, "", expect.stringMatching(message)]);
  });

  test("creates no database in a folder that has none, and says what to set", async () => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await runCommand(["keys", "create", "--tier", "pro"], {
      environment: { DATABASE_URL: undefined, TAPEDECK_DATA_DIR: folder },
    });
    const message = `There is no database in ${folder}. Start the service once (npm run up), or set TAPEDECK_DATA_DIR or DATABASE_URL`;
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining(message)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  const empty = sharedDatabase({ isEmpty: true });
  test("says what to do if the database has no tables", async () => {
    const { code, stderr } = await runCommand(["keys", "list"], { environment: { DATABASE_URL: empty.url } });
    expect([code, stderr]).toEqual([1, expect.stringContaining("npm run -s tapedeck -- database migrate")]);
  });
});
