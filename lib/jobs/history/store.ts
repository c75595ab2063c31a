import type { Database } from "#lib/platform/database/index";

/** The ended runs of a job on a day, `YYYY-MM-DD` in UTC, and what they did. */
export type RunDayRow = {
  job: string;
  day: string;
  completed: number;
  failed: number;
  workDone: number;
  workFailed: number;
};

/** Returns the days from one on, oldest first: at most one row for each job and day. */
export async function findRunDays(client: Database, from: string): Promise<RunDayRow[]> {
  const rows = await client.runDay.findMany({ where: { day: { gte: new Date(from) } }, orderBy: { day: "asc" } });
  return rows.map(({ day, ...counts }) => ({ ...counts, day: day.toISOString().slice(0, 10) }));
}

/** Deletes the days before that of a time. Returns how many rows were deleted, at most a few for each job and day. */
export async function pruneRunDays(client: Database, before: Date): Promise<number> {
  const { count } = await client.runDay.deleteMany({ where: { day: { lt: before } } });
  return count;
}
