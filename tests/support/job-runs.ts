import { pino } from "pino";
import { beforeEach } from "vitest";
import type { CronContext } from "#lib/jobs/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import type { TestDatabase } from "./database";
import { sharedDatabase } from "./shared-database";

/** What runs of jobs in a test need. `now` is the time of the clock, which a test can move. */
export type JobRuns = { database: TestDatabase; now: Date; context: CronContext };

/** Gives the tests of a file a database, and each of them one without runs and a clock that stands at `startAt`. */
export function provideJobRuns(startAt: string): JobRuns {
  const database = sharedDatabase();
  const runs = { database, now: new Date(startAt) } as JobRuns;
  beforeEach(async () => {
    const { client } = database;
    await client.cronRun.deleteMany();
    await client.cronLease.deleteMany();
    await client.runDay.deleteMany();
    runs.now = new Date(startAt);
    runs.context = {
      database: client,
      ids: systemIds,
      log: pino({ level: "silent" }),
      clock: { ...systemClock, now: () => runs.now },
      origin: "http://127.0.0.1:3000",
      siteUrls: {},
    };
  });
  return runs;
}
