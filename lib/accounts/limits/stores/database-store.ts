import type { Database } from "#lib/platform/database/index";
import { dayOf, endOfDay } from "../day";
import type { LimitStore } from "./store";

/** Counts in `limit_windows`: one statement, so that of any number of requests at once each gets a number of its own. */
export function databaseStore(client: Database): LimitStore {
  return {
    kind: "database",
    async take(subject, limit, now) {
      const rows = await client.$queryRaw<[{ count: number }]>`
        INSERT INTO limit_windows (subject, day, count) VALUES (${subject}, ${dayOf(now)}::date, 1)
        ON CONFLICT (subject, day) DO UPDATE SET count = LEAST(limit_windows.count::bigint + 1, 2147483647)
        RETURNING count`;
      const { count } = rows[0];
      return { allowed: count <= limit, remaining: Math.max(0, limit - count), resetAt: endOfDay(now) };
    },
  };
}

/** Removes windows of days before a date's, so many at most; gives how many it removed. */
export async function deleteWindows(client: Database, before: Date, limit: number): Promise<number> {
  return client.$executeRaw`
    DELETE FROM limit_windows WHERE (subject, day) IN (
      SELECT subject, day FROM limit_windows WHERE day < ${dayOf(before)}::date LIMIT ${limit}
    )`;
}
