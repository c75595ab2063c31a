import { beforeAll, expect, test } from "vitest";
import { poolSize } from "#lib/platform/database/client";
import { queryDirectly, transactDirectly } from "#lib/platform/database/index";
import { sharedDatabase } from "#tests/support/shared-database";

const database = sharedDatabase();
beforeAll(() => database.client.$executeRaw`CREATE TABLE numbers (value integer)`);

const insert = (value: number) => ({ text: "INSERT INTO numbers VALUES ($1) RETURNING value", values: [value] });
const numbers = async () =>
  (await queryDirectly(database.client, { text: "SELECT value FROM numbers ORDER BY value" })).map(
    ({ value }) => value,
  );

test("a transaction is stored as a whole, and its connection is returned", async () => {
  const add = (value: number) =>
    transactDirectly(database.client, async (query) => {
      await query(insert(value));
      return (await query(insert(value + 100)))[0]?.value;
    });
  const values = Array.from({ length: 3 * poolSize }, (_, value) => value);
  expect(await Promise.all(values.map(add))).toEqual(values.map((value) => value + 100));
  expect(await numbers()).toHaveLength(6 * poolSize);
});

test("a transaction that throws stores nothing, and its connection is returned", async () => {
  const before = await numbers();
  for (let attempt = 0; attempt <= poolSize; attempt += 1) {
    const failing = transactDirectly(database.client, async (query) => {
      await query(insert(1_000));
      if (attempt % 2 === 0) throw new Error("a fault");
      await query({ text: "SELECT * FROM no_such_table" });
    });
    await expect(failing).rejects.toThrow(attempt % 2 === 0 ? "a fault" : "no_such_table");
  }
  expect(await numbers()).toEqual(before);
});

test("a connection that the server ends during a transaction is unavailable and is not used again", async () => {
  const before = await numbers();
  for (let attempt = 0; attempt <= poolSize; attempt += 1) {
    const ended = transactDirectly(database.client, async (query) => {
      await query(insert(2_000));
      const [row] = await query({ text: "SELECT pg_backend_pid() AS pid" });
      await database.client.$queryRaw`SELECT pg_terminate_backend(${row?.pid}::int)`;
      // The connection may break while no statement waits for it.
      if (attempt % 2 === 0) await expect.poll(() => query({ text: "SELECT 1" }).catch(() => "broken")).toBe("broken");
      await query(insert(2_001));
    });
    await expect(ended).rejects.toMatchObject({ code: "service_unavailable" });
  }
  expect(await numbers()).toEqual(before);
});
