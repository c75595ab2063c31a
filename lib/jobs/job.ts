import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import type { SiteUrls } from "#lib/replay/sites/index";

/** What every job gets from whoever starts it. */
export type CronContext = {
  database: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Where this service answers, without a trailing slash. */
  origin: string;
  siteUrls: SiteUrls;
};

/** What a run of a job gets beside it. */
export type RunContext = CronContext & {
  runId: string;
  /** A moment on the clock's `monotonicMs` by which the run is to end. */
  deadlineMs: number;
  /** Aborted when the run has lost its lease, or is to stop. */
  signal: AbortSignal;
};

/** What a run counted, as it is shown to operators. */
export type RunSummary = Record<string, number>;

export type CronJob = {
  name: string;
  description: string;
  /** How often a self-hosted server runs it, in milliseconds. */
  everyMs: number;
  /** Longest time of a run, in milliseconds. */
  budgetMs: number;
  /** Whether it asks hosts on the internet. */
  callsInternet: boolean;
  run: (context: RunContext) => Promise<RunSummary>;
};
