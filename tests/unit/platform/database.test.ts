import { createServer } from "node:net";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { createDatabase, pingDatabase } from "#lib/platform/database/index";
import { applyMigrations, authorMigration, schemaDrift } from "#lib/platform/database/migrate";
import { migrationStatus, readMigrations } from "#lib/platform/database/migration-files";
import { withClient } from "#lib/platform/database/postgres-connection";
import { insertFleetMembers } from "#lib/replay/sites/store";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { eventually } from "#tests/support/eventually";
import { listen } from "#tests/support/listen";
import { startCli } from "#tests/support/run-cli";
import { sharedDatabase } from "#tests/support/shared-database";

describe("migrations", () => {
  const empty = sharedDatabase({ isEmpty: true });

  test("the migrations produce exactly the schema in schema.prisma; the check leaves no database behind", async () => {
    expect(await schemaDrift(empty.url)).toBeUndefined();
    const rows = await empty.client.$queryRaw`SELECT datname FROM pg_database WHERE datname LIKE 'tapedeck_shadow%'`;
    expect(rows).toEqual([]);
  });

  test("no migration ends its transaction, so that one that fails changes nothing", async () => {
    const { migrationDirectories } = await readMigrations();
    for (const { path, migrationFile } of migrationDirectories)
      expect([path, migrationFile.content.value.replaceAll(/\$\$.*?\$\$/gs, "")]).toEqual([
        path,
        expect.not.stringMatching(/(?:^|;)\s*(?:COMMIT|ROLLBACK|END|ABORT|PREPARE\s+TRANSACTION)\b/im),
      ]);
  });

  test("without changes no new migration is written, and a name must be valid for a folder", async () => {
    expect(await authorMigration(empty.url, "nothing_new")).toBeUndefined();
    await expect(authorMigration(empty.url, "../escape")).rejects.toThrow("The name of a migration must be like");
  });

  test("three concurrent runs apply each migration once, and a later run applies none", async () => {
    const applied = await Promise.all([empty.url, empty.url, empty.url].map((url) => applyMigrations(url)));
    expect(applied.flat()).toEqual([...new Set(applied.flat())]);
    expect(applied.flat()).toContain("20261124000000_initial");
    expect(await applyMigrations(empty.url)).toEqual([]);
    expect(await empty.client.fleetMember.count()).toBe(0);
  });

  test("a database of a development version stays as it is, and the message says what to do", async () => {
    const old = await createTestDatabase({ isEmpty: true });
    await old.client
      .$executeRaw`CREATE TABLE _prisma_migrations AS SELECT '20261121005841_fleet_members' AS migration_name,
      now() AS finished_at, NULL::timestamptz AS rolled_back_at, NULL AS logs`;
    await expect(applyMigrations(old.url)).rejects.toThrow(/development version.*Nothing was changed/);
    const rows = await old.client.$queryRaw`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`;
    expect(rows).toEqual([{ tablename: "_prisma_migrations" }]);
    await old.drop();
  });

  test("a database of a newer version stays as it is, and the message names its migrations", async () => {
    const newer = await createTestDatabase();
    await newer.client.$executeRaw`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('x', '', '29991231000000_later', now())`;
    await expect(applyMigrations(newer.url)).rejects.toThrow(/newer version.*29991231000000_later.*restore the backup/);
    await newer.drop();
  });

  /** Starts as an account without any right in a database, which can be given some. */
  async function startWithoutRights({ client, url: adminUrl }: TestDatabase) {
    const url = new URL(adminUrl);
    const name = url.pathname.slice(1);
    const role = `role_of_${name}`;
    Object.assign(url, { username: role, password: "secret" });
    await client.$executeRawUnsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    onTestFinished(async () => {
      await client.$executeRawUnsafe(`DROP OWNED BY ${role}`);
      await client.$executeRawUnsafe(`DROP ROLE ${role}`);
    });
    const grant = (rights: string) => client.$executeRawUnsafe(`GRANT ${rights} TO ${role}`);
    return { url: url.href, name, grant };
  }

  test("a migration that an account may not apply names the right, and is applied once the account has it", async () => {
    const admin = await createTestDatabase({ isEmpty: true });
    onTestFinished(admin.drop);
    const { url, name, grant } = await startWithoutRights(admin);
    await expect(applyMigrations(url)).rejects.toThrow(/^permission denied for schema public\. .*own the database/);
    await grant("CREATE ON SCHEMA public");
    await expect(applyMigrations(url)).rejects.toThrow(`permission denied for database ${name}. The account must own`);
    const { pending, unfinished } = await migrationStatus(url);
    const reason = `permission denied for database ${name}`;
    expect(unfinished).toEqual([{ name: "20261124000000_initial", reason }]);
    await expect(applyMigrations(url)).rejects.toThrow(reason);

    await grant(`CREATE ON DATABASE ${name}`);
    expect(await applyMigrations(url)).toEqual(pending);
    expect(await migrationStatus(url)).toEqual({ applied: pending, pending: [], unknown: [], unfinished: [] });
  });

  test("a migration that the server completes after its process was killed is not applied again", async () => {
    const own = await createTestDatabase({ isEmpty: true });
    onTestFinished(own.drop);
    const { pending } = await migrationStatus(own.url);
    const blocker = new Client({ connectionString: own.url });
    await blocker.connect();
    // The first migration waits for this transaction, as it creates the same type.
    await blocker.query("BEGIN; CREATE TYPE fleet_member_status AS ENUM ()");
    const waiting = async (count: number) => {
      const rows = await own.client.$queryRaw`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      expect(rows).toHaveLength(count);
    };
    const killed = startCli(["database", "migrate"], { environment: { DATABASE_URL: own.url } });
    await eventually(() => waiting(1));
    killed.process.kill("SIGKILL");
    await killed.ended;
    const next = applyMigrations(own.url);
    await eventually(() => waiting(2));
    await blocker.query("ROLLBACK");
    await blocker.end();
    expect(await next).toEqual(pending.slice(1));
    expect(await migrationStatus(own.url)).toMatchObject({ applied: pending, unfinished: [] });
  });

  test("an unreachable server is an error with its address", async () => {
    await expect(applyMigrations("postgres://someone:secret@127.0.0.1:1/none")).rejects.toThrow("127.0.0.1:1");
  });
});

describe("a database", () => {
  const database = sharedDatabase();

  test("has one row for each site after a seed, and the results of the last check are preserved", async () => {
    const { client } = database;
    await Promise.all([insertFleetMembers(client, ["legal", "finance"]), insertFleetMembers(client, ["legal"])]);
    await client.fleetMember.update({ where: { slug: "legal" }, data: { status: "down", error: "HTTP 500" } });
    await insertFleetMembers(client, ["legal", "finance", "small-business"]);
    const select = { slug: true, status: true, error: true };
    expect(await client.fleetMember.findMany({ orderBy: { slug: "asc" }, select })).toEqual([
      { slug: "finance", status: "unchecked", error: null },
      { slug: "legal", status: "down", error: "HTTP 500" },
      { slug: "small-business", status: "unchecked", error: null },
    ]);
  });

  test("writes and reads times in UTC, whatever zone the database has", async () => {
    const { client, drop, url } = await createTestDatabase();
    await withClient({ connectionString: url }, async (connection) => {
      await connection.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET timezone = 'Asia/Tokyo'`);
    });
    const other = createDatabase(url);
    await insertFleetMembers(other, ["legal"]);
    const checkedAt = new Date("2026-11-27T11:49:40Z");
    await other.fleetMember.update({ where: { slug: "legal" }, data: { checkedAt } });
    const [stored] = await other.$queryRaw<{ epoch: number }[]>`
      SELECT extract(epoch FROM checked_at)::float8 AS epoch FROM fleet_members`;
    expect(stored?.epoch).toBe(checkedAt.getTime() / 1000);
    await other.$executeRaw`UPDATE fleet_members SET checked_at = to_timestamp(${checkedAt.getTime() / 1000})`;
    expect(await other.fleetMember.findMany({ select: { checkedAt: true } })).toEqual([{ checkedAt }]);
    await Promise.all([other.$disconnect(), client.$disconnect()]);
    await drop();
  });

  test("answers a ping; none, one without a server and one that does not respond do not", async () => {
    expect(await pingDatabase(database.client)).toBe(true);
    expect(await pingDatabase(undefined)).toBe(false);
    const port = await listen(createServer());
    for (const host of ["127.0.0.1:1", `127.0.0.1:${port}`]) {
      const client = createDatabase(`postgres://someone@${host}/none`, 1_000);
      expect(await Promise.all([pingDatabase(client), pingDatabase(client)])).toEqual([false, false]);
      await client.$disconnect();
    }
  });
});
