import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { createTestDatabase } from "#tests/support/database";

it("the migrations create the tables of the installed version of pg-boss", async () => {
  const { pgboss } = createRequire(import.meta.url)("pg-boss/package.json") as { pgboss: { schema: number } };
  const database = await createTestDatabase();
  try {
    expect(await database.client.$queryRaw`SELECT version FROM pgboss.version`).toEqual([{ version: pgboss.schema }]);
  } finally {
    await database.drop();
  }
});
