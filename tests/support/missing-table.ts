import type { Database } from "#lib/platform/database/index";
import { Prisma } from "#prisma/generated/client";

/** Runs `work` while a table is missing, so that statements with it fail. */
export async function withoutTable<T>(database: Database, table: string, work: () => Promise<T>): Promise<T> {
  const rename = (from: string, to: string) =>
    database.$executeRaw(Prisma.sql`ALTER TABLE ${Prisma.raw(from)} RENAME TO ${Prisma.raw(to)}`);
  await rename(table, "missing_table");
  try {
    return await work();
  } finally {
    await rename("missing_table", table);
  }
}
