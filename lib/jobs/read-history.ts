import { config } from "#lib/platform/config";
import type { Database } from "#lib/platform/database/index";
import { dayMs } from "#lib/platform/time";
import { configuredJobs } from "./all-jobs";
import { fetchVendorsJob } from "./fetch-vendors-job";
import { historyDays } from "./schemas";
import { findRunDays, type RunDayRow } from "./store";

/** `none`: nothing is recorded for the day, which says nothing about it. */
export type DayState = "ok" | "partial" | "failed" | "none";

export type HistoryDay = {
  /** `YYYY-MM-DD` in UTC. */
  day: string;
  state: DayState;
  succeeded: number;
  failed: number;
};

/** The days of a job, or of all fetches together, oldest first. */
export type HistoryLine = { name: string; unit: "runs" | "fetches"; days: HistoryDay[] };

export type StatusHistory = { lines: HistoryLine[] };

/** Share of fetches that must succeed on a day that counts as ok: some vendors are always unreachable. */
const okShareOfFetches = 0.9;

/** Returns the days of the history, oldest first, with the day of `now` as the last one. */
export function listDays(now: Date): string[] {
  return Array.from({ length: historyDays }, (_, index) =>
    new Date(now.getTime() - (historyDays - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}

type Counts = Pick<HistoryDay, "succeeded" | "failed">;

function stateOf({ succeeded, failed }: Counts, okShare: number): DayState {
  const count = succeeded + failed;
  if (count === 0) return "none";
  if (succeeded >= count * okShare) return "ok";
  return succeeded === 0 ? "failed" : "partial";
}

/**
 * Returns the daily history of all fetches and of each job. A day of a job is ok if every run completed, and one of the
 * fetches if at least 90 % succeeded.
 */
export async function readHistory(database: Database, now: Date): Promise<StatusHistory> {
  const days = listDays(now);
  const rows = await findRunDays(database, days[0] as string);
  const rowOf = new Map(rows.map((row) => [`${row.job} ${row.day}`, row]));
  const daysOf = (job: string, okShare: number, countsOf: (row: RunDayRow) => Counts) =>
    days.map((day): HistoryDay => {
      const row = rowOf.get(`${job} ${day}`);
      const counts = row ? countsOf(row) : { succeeded: 0, failed: 0 };
      return { day, state: stateOf(counts, okShare), ...counts };
    });
  const ofRuns = ({ completed, failed }: RunDayRow) => ({ succeeded: completed, failed });
  const ofFetches = ({ workDone, workFailed }: RunDayRow) => ({ succeeded: workDone, failed: workFailed });
  const fetchDays = daysOf(fetchVendorsJob.name, okShareOfFetches, ofFetches);
  const lines = configuredJobs(config()).map(
    ({ name }): HistoryLine => ({ name, unit: "runs", days: daysOf(name, 1, ofRuns) }),
  );
  return { lines: [{ name: "All fetches", unit: "fetches", days: fetchDays }, ...lines] };
}
