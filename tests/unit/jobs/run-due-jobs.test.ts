import { pino } from "pino";
import { expect, it } from "vitest";
import { type CronJob, runDueJobs } from "#lib/jobs/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { sharedDatabase } from "#tests/support/shared-database";

const database = sharedDatabase();

it("due jobs run one after another, and a failing job does not keep others from running", async () => {
  let now = new Date("2026-03-01T00:00:00Z");
  const ran: string[] = [];
  const job = (name: string, everyMs: number): CronJob => ({
    name,
    everyMs,
    description: name,
    budgetMs: 1_000,
    callsInternet: false,
    run: async () => {
      ran.push(name);
      if (name === "broken") throw new Error("broken");
      return {};
    },
  });
  const jobs = [job("broken", 10_000), job("often", 10_000), job("seldom", 50_000)];
  const tick = async (signal = new AbortController().signal) => {
    ran.length = 0;
    const log = pino({ level: "silent" });
    const context = { database: database.client, ids: systemIds, log, origin: "http://127.0.0.1", siteUrls: {} };
    await runDueJobs({ ...context, clock: { ...systemClock, now: () => now } }, jobs, { signal });
    return [...ran];
  };
  expect(await tick()).toEqual(["broken", "often", "seldom"]);
  now = new Date(now.getTime() + 9_999);
  expect(await tick()).toEqual([]);
  now = new Date(now.getTime() + 1);
  expect(await tick()).toEqual(["broken", "often"]);
  now = new Date(now.getTime() + 40_000);
  expect(await tick(AbortSignal.abort())).toEqual([]);
  expect(await tick()).toEqual(["broken", "often", "seldom"]);
});
