import { expect, it } from "vitest";
import { neededQueueSchema } from "#lib/jobs/queue/needed-schema";
import { sharedDatabase } from "#tests/support/shared-database";

const database = sharedDatabase();

it("the migrations create the tables of the installed version of pg-boss", async () => {
  const rows = await database.client.$queryRaw`SELECT version FROM pgboss.version`;
  expect(rows).toEqual([{ version: neededQueueSchema() }]);
});
