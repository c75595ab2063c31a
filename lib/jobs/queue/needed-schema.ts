import { createRequire } from "node:module";

/** Returns the version of its tables that the installed pg-boss needs. Not for code that Next bundles. */
export function neededQueueSchema(): number {
  const { pgboss } = createRequire(import.meta.url)("pg-boss/package.json") as { pgboss: { schema: number } };
  return pgboss.schema;
}
