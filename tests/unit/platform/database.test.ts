import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, pingDatabase } from "#lib/platform/database/index";
import { applyMigrations, authorMigration, schemaDrift } from "#lib/platform/database/migrate";
import { insertFleetMembers } from "#lib/replay/sites/store";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";

describe("migrations", () => {
  let empty: TestDatabase;
  beforeAll(async () => {
    empty = await createTestDatabase({ isEmpty: true });
  });
  afterAll(() => empty.drop());

  test("the migrations produce exactly the schema in schema.prisma", async () => {
    expect(await schemaDrift(empty.url)).toBeUndefined();
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

  test("the drift check leaves no shadow database behind", async () => {
    await schemaDrift(empty.url);
    const rows = await empty.client.$queryRaw`SELECT datname FROM pg_database WHERE datname LIKE 'tapedeck_shadow%'`;
    expect(rows).toEqual([]);
  });

  test("an unreachable server is an error with its address", async () => {
    await expect(applyMigrations("postgres://someone:secret@127.0.0.1:1/none")).rejects.toThrow("127.0.0.1:1");
  });
});

describe("seed", () => {
  test("each site has one row, and the results of the last check are preserved", async () => {
    const { client, drop } = await createTestDatabase();
    try {
      await Promise.all([insertFleetMembers(client, ["legal", "finance"]), insertFleetMembers(client, ["legal"])]);
      await client.fleetMember.update({ where: { slug: "legal" }, data: { status: "down", error: "HTTP 500" } });
      await insertFleetMembers(client, ["legal", "finance", "small-business"]);
      const rows = await client.fleetMember.findMany({
        orderBy: { slug: "asc" },
        select: { slug: true, status: true, error: true },
      });
      expect(rows).toEqual([
        { slug: "finance", status: "unchecked", error: null },
        { slug: "legal", status: "down", error: "HTTP 500" },
        { slug: "small-business", status: "unchecked", error: null },
      ]);
    } finally {
      await drop();
    }
  });
});

describe("ping", () => {
  test("returns true if the database answers", async () => {
    const { client, drop } = await createTestDatabase();
    expect(await pingDatabase(client)).toBe(true);
    await drop();
  });

  test("returns false if no database is configured", async () => {
    expect(await pingDatabase(undefined)).toBe(false);
  });

  test("returns false at once if no server is listening", async () => {
    const client = createDatabase("postgres://someone@127.0.0.1:1/none");
    const startedMs = performance.now();
    expect(await pingDatabase(client)).toBe(false);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    await client.$disconnect();
  });

  test("returns false after one second if the server accepts the connection but does not respond", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    const client = createDatabase(`postgres://someone@127.0.0.1:${port}/none`);
    const startedMs = performance.now();
    expect(await Promise.all([pingDatabase(client), pingDatabase(client)])).toEqual([false, false]);
    expect(performance.now() - startedMs).toBeLessThan(1_500);
    silent.close();
  });
});
