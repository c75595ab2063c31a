import { memberOrigin, type Site, type SiteUrls, sites } from "#lib/contract/sites";
import { config } from "#lib/platform/config";
import type { Context } from "#lib/platform/context";
import type { Database } from "#lib/platform/database/index";
import { configuredJobs, cronJobs } from "./all-jobs";
import { listDays } from "./read-history";
import { type CronStatus, cronJobSchema } from "./schemas";
import { findDownSites, findLatestRuns, findRunDays } from "./store";
import { verifyFleetJob } from "./verify-fleet-job";

const summarySchema = cronJobSchema.shape.summary;

/** Returns the latest run of each job, with `include` also its history. Jobs that never ran are left out. */
export async function getCronStatus(
  { database, clock }: Pick<Context, "database" | "clock">,
  { query: { include } }: { query: { include?: "history" | undefined } },
): Promise<CronStatus> {
  const names = cronJobs.map(({ name }) => name);
  const [runs, days] = await Promise.all([
    findLatestRuns(database, names),
    include ? findRunDays(database, listDays(clock.now())[0] as string) : [],
  ]);
  const historyOf = (job: string) =>
    days.filter((row) => row.job === job).map(({ day, completed, failed }) => ({ day, completed, failed }));
  return {
    jobs: runs.map(({ job, startedAt, finishedAt, status, summary, error }) => ({
      name: job,
      last_run_at: startedAt.toISOString(),
      finished_at: finishedAt?.toISOString() ?? null,
      status,
      summary: summarySchema.parse(summary),
      error,
      ...(include && { history: historyOf(job) }),
    })),
  };
}

/** The public status of a job. Summaries and errors need a key. */
export type JobStatus = {
  name: string;
  description: string;
  /** Whether it sends requests to hosts on the internet: on the embedded database it then only runs with CRON=on. */
  callsInternet: boolean;
  /** Null if the job never ran. */
  lastRun: { at: Date; status: "running" | "completed" | "failed" } | null;
};

/** Returns the status of every job that is configured, including those that never ran. */
export async function getJobStatuses({ database }: { database: Database }): Promise<JobStatus[]> {
  const jobs = configuredJobs(config());
  const runs = await findLatestRuns(
    database,
    jobs.map(({ name }) => name),
  );
  return jobs.map(({ name, description, callsInternet }) => {
    const run = runs.find(({ job }) => job === name);
    return { name, description, callsInternet, lastRun: run ? { at: run.startedAt, status: run.status } : null };
  });
}

type FleetHealthContext = { database: Database; site: Site; origin: string; siteUrls: SiteUrls };

export type MemberHealth = {
  slug: string;
  name: string;
  url: string;
  /** Result of the last check; unchecked before the first. The site that answers the request is live. */
  state: "live" | "down" | "unchecked";
};

/** The members with a known URL, and when they were last checked; null before the first check. */
export type FleetHealth = { checkedAt: Date | null; members: MemberHealth[] };

/** Returns the health of the fleet's sites, from the last run of the job that checks them. */
export async function getFleetHealth({ database, ...context }: FleetHealthContext): Promise<FleetHealth> {
  const [down, [lastCheck]] = await Promise.all([
    findDownSites(database),
    findLatestRuns(database, [verifyFleetJob.name]),
  ]);
  const checkedAt = lastCheck?.startedAt ?? null;
  const stateOf = (slug: string) => (down.has(slug) ? "down" : checkedAt ? "live" : "unchecked");
  const members = sites.flatMap((site): MemberHealth[] => {
    const url = memberOrigin(site, context.site, context.origin, context.siteUrls);
    if (!url) return [];
    const state = site.slug === context.site.slug ? "live" : stateOf(site.slug);
    return [{ slug: site.slug, name: site.display_name, url, state }];
  });
  return { checkedAt, members };
}
