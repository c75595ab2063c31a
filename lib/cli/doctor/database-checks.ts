import type { CronJob } from "#lib/jobs/index";
import { commandLine } from "#lib/platform/command-line";
import type { ServerFacts } from "#lib/platform/database/inspect-server";
import { unknownMigrations } from "#lib/platform/database/migration-files";
import { minuteMs, secondMs } from "#lib/platform/time";
import type { InstallationStatus } from "#lib/server/metrics/index";
import { type Check, fail, ok, warn } from "./check";

const minVersionNumber = 150_000;
/** A clock that is further off is a warning, or a failure: signatures and leases depend on it. */
const maxClockWarnMs = 2 * secondMs;
const maxClockFailMs = minuteMs;

function checkVersion({ version, versionNumber, isPooled, isReadOnly }: ServerFacts, place: string): Check {
  const seen = `PostgreSQL ${version} at ${place}${isPooled ? ", behind a pooler" : ""}`;
  if (versionNumber < minVersionNumber) return fail("database", seen, "use PostgreSQL 15 or newer");
  if (isReadOnly) return fail("database", `${seen}, which refuses writes`, "set DATABASE_URL to the primary server");
  return ok("database", seen);
}

function checkClock({ timeZone, isUtc, clockAheadMs, clockErrorMs }: ServerFacts): Check {
  if (!isUtc) {
    const ignored = `connections ask for the time zone UTC and get ${timeZone}, so that times are stored wrong`;
    return fail("clock", ignored, "let the pooler pass TimeZone on, or set the role's timezone to UTC");
  }
  const offMs = Math.max(0, Math.abs(clockAheadMs) - clockErrorMs);
  const direction = clockAheadMs < 0 ? "behind" : "ahead of";
  const seen = `the database's clock is ${(offMs / secondMs).toFixed(1)} s ${direction} this machine's`;
  const advice = "synchronise both by NTP: signatures and leases depend on the time";
  if (offMs > maxClockFailMs) return fail("clock", seen, advice);
  return offMs > maxClockWarnMs ? warn("clock", seen, advice) : ok("clock", seen);
}

function checkMigrations({ migrations }: ServerFacts): Check {
  const name = "migrations";
  const { applied, pending, unfinished } = migrations;
  const unknown = unknownMigrations(migrations);
  if (unknown) return fail(name, `the database was ${unknown.seen}`, unknown.advice);
  if (pending.length > 0) {
    const failed = unfinished.flatMap(({ name, reason }) => (reason ? [`; ${name} failed: ${reason}`] : []));
    const seen = `${applied.length} applied, ${pending.length} pending${failed.join("")}`;
    return fail(name, seen, commandLine("database migrate"));
  }
  return ok(name, `all ${applied.length} applied`);
}

function checkQueueTables({ queueSchema }: ServerFacts, needed: number): Check {
  const name = "queue-tables";
  if (queueSchema === null) return fail(name, "there are none", commandLine("database migrate"));
  if (queueSchema === needed) return ok(name, `version ${needed} of pg-boss's tables`);
  const advice = queueSchema < needed ? commandLine("database migrate") : "run the code that migrated the database";
  return fail(name, `version ${queueSchema} of pg-boss's tables; version ${needed} is needed`, advice);
}

/** Checks what a database server says about itself. `place` names it without its password. */
export function checkServer(facts: ServerFacts, place: string, neededQueueTables: number): Check[] {
  return [
    checkVersion(facts, place),
    checkClock(facts),
    checkMigrations(facts),
    checkQueueTables(facts, neededQueueTables),
  ];
}

/** When work was last begun, in seconds before now; null if never. */
export type LastWork = { runS: number | null; takenS: Record<string, number> };

/** A job that waits longer while no worker has taken any from its queue is a failure, in seconds. */
const maxWaitS = (15 * minuteMs) / secondMs;
/** A worker begins a run at least this often, in seconds: each minute if it is idle. */
const maxSilenceS = (10 * minuteMs) / secondMs;

const minutes = (seconds: number) => `${Math.round((seconds * secondMs) / minuteMs)} min`;

export function checkQueues({ queues, deadFetches, vendorsDue }: InstallationStatus, { takenS }: LastWork): Check[] {
  const name = "queues";
  const checks: Check[] = [];
  for (const { name: queue, waiting, running, failed, oldestS, isPaused } of queues) {
    const resume = commandLine(`queue resume ${queue}`);
    // Workers start no run for due vendors while the queue is paused, so these may have no jobs.
    const work =
      queue === "fetch" ? `, ${waiting} jobs wait, and ${vendorsDue} vendors are due` : `, and ${waiting} jobs wait`;
    if (isPaused) checks.push(warn(name, `${queue} is paused${work}`, resume));
    if (failed > 0)
      checks.push(warn(name, `${failed} jobs of ${queue} were given up`, commandLine(`queue retry ${queue}`)));
    const isTaken = running > 0 || (takenS[queue] ?? Number.POSITIVE_INFINITY) <= maxWaitS;
    if (!isPaused && !isTaken && (oldestS ?? 0) > maxWaitS) {
      const seen = `a job of ${queue} waits for ${minutes(oldestS ?? 0)}, and none was taken in that time`;
      checks.push(fail(name, seen, `start a worker: ${commandLine("worker")}`));
    }
  }
  if (deadFetches > 0) {
    const advice = "the log of the workers says why; the next run of fetch-vendors records them as failed";
    checks.push(warn(name, `${deadFetches} fetches ended their process each time`, advice));
  }
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  return checks.length > 0 ? checks : [ok(name, `${waiting} jobs wait, none was given up`)];
}

/** The jobs to check, each with the longest time of a run. */
export type ScheduledJob = Pick<CronJob, "name" | "everyMs"> & { maxRunMs: number };

/** Checks that a worker runs, and that each job completes at least every second time. */
export function checkJobs(
  scheduled: readonly ScheduledJob[],
  { jobs }: InstallationStatus,
  { runS }: LastWork,
): Check[] {
  const start = `start a worker: ${commandLine("up")}, ${commandLine("worker")}, or a scheduler that calls /api/cron`;
  const worker =
    runS === null
      ? fail("worker", "no job has ever run", start)
      : runS > maxSilenceS
        ? fail("worker", `no job was begun for ${minutes(runS)}`, start)
        : ok("worker", `a job was begun ${Math.round(runS)} s ago`);
  const late = scheduled.flatMap(({ name, everyMs, maxRunMs }) => {
    const completedS = jobs.find((job) => job.name === name)?.completedS ?? null;
    if (completedS === null) return [warn("jobs", `${name} has never completed`, commandLine(`cron run ${name}`))];
    if (completedS * secondMs <= 2 * everyMs + maxRunMs) return [];
    const seen = `${name} last completed ${minutes(completedS)} ago; it runs every ${everyMs / minuteMs} min`;
    return [fail("jobs", seen, commandLine("cron status"))];
  });
  return [worker, ...(late.length > 0 ? late : [ok("jobs", `${scheduled.length} jobs complete in time`)])];
}

type Secrets = { hasKeys: boolean; count: number; unreadableCount: number };

export function checkEncryption({ hasKeys, count, unreadableCount }: Secrets): Check {
  const name = "encryption-keys";
  if (!hasKeys && count > 0)
    return fail(name, `none, but ${count} secrets are stored`, "set the ENCRYPTION_KEYS that encrypted them");
  if (!hasKeys)
    return warn(name, "none, so that neither webhooks nor e-mail digests can be added", "set ENCRYPTION_KEYS");
  if (unreadableCount === 0) return ok(name, `they open all of ${count} stored secrets`);
  const seen = `no key opens ${unreadableCount} of ${count} stored secrets`;
  return fail(
    name,
    seen,
    "add the key that encrypted them to ENCRYPTION_KEYS, or have these webhooks rotate their secrets",
  );
}
