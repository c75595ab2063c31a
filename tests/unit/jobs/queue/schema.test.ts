import { expect, it } from "vitest";
import { neededQueueSchema } from "#lib/jobs/queue/needed-schema";
import { createTestDatabase } from "#tests/support/database";

it("the migrations create the tables of the installed version of pg-boss", async () => {
  const database = await createTestDatabase();
  try {
    const rows = await database.client.$queryRaw`SELECT version FROM pgboss.version`;
    expect(rows).toEqual([{ version: neededQueueSchema() }]);
  } finally {
    await database.drop();
  }
});
