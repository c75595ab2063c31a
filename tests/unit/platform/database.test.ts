import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { createDatabase, pingDatabase } from "#lib/platform/database/index";
import { applyMigrations, authorMigration, schemaDrift } from "#lib/platform/database/migrate";
import { withClient } from "#lib/platform/database/postgres-connection";
import { insertFleetMembers } from "#lib/replay/sites/store";
import { createTestDatabase } from "#tests/support/database";
import { listen } from "#tests/support/listen";
import { sharedDatabase } from "#tests/support/shared-database";

describe("migrations", () => {
  const empty = sharedDatabase({ isEmpty: true });

  test("the migrations produce exactly the schema in schema.prisma; the check leaves no database behind", async () => {
    expect(await schemaDrift(empty.url)).toBeUndefined();
    const rows = await empty.client.$queryRaw`SELECT datname FROM pg_database WHERE datname LIKE 'tapedeck_shadow%'`;
    expect(rows).toEqual([]);
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
      now() AS finished_at, NULL::timestamptz AS rolled_back_at`;
    await expect(applyMigrations(old.url)).rejects.toThrow(/development version.*Nothing was changed/);
    const rows = await old.client.$queryRaw`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`;
    expect(rows).toEqual([{ tablename: "_prisma_migrations" }]);
    await old.drop();
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
