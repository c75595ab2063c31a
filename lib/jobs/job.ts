import type { SiteUrls } from "#lib/contract/sites";
import type { Context } from "#lib/platform/context";
import type { MailVariables } from "#lib/platform/mail/index";
import type { QueueName } from "./queue/queues";

/** Context that the caller passes to every job. */
export type CronContext = Context & {
  /** Origin of this service, without a trailing slash. */
  origin: string;
  siteUrls: SiteUrls;
};

/** Context of one run of a job. */
export type RunContext = CronContext & {
  runId: string;
  /** Time by which the run has to end, on the clock's `monotonicMs`. */
  deadlineMs: number;
  /** Aborted when the run has lost its lease or has to stop. */
  signal: AbortSignal;
  /** How much to do at a time; by default, what suits a function or a command. */
  concurrency?: number | undefined;
};

/** Counts of a run, by name. */
export type RunSummary = Record<string, number>;

/** What a run did, and what of it failed. */
export type WorkCounts = { done: number; failed: number };

export type CronJob = {
  name: string;
  description: string;
  /** Interval on a self-hosted server, in milliseconds. */
  everyMs: number;
  /** Maximum duration of a run, in milliseconds. */
  budgetMs: number;
  /** Whether it sends requests to hosts on the internet. */
  callsInternet: boolean;
  run: (context: RunContext) => Promise<RunSummary>;
  /** Whether it does anything with a configuration. By default it does. */
  isConfigured?: (settings: MailVariables) => boolean;
  /**
   * The queues that it works on. Any number of processes may run such a job at the same time, and share the work; of any
   * other job there is one run at a time.
   */
  queues?: readonly QueueName[];
  /** Counts the work of a completed run for the daily history, such as fetches. */
  countWork?: (summary: RunSummary) => WorkCounts;
  /** Whether there is something to do before the job's interval has passed. */
  hasWork?: (context: CronContext) => Promise<boolean>;
};
