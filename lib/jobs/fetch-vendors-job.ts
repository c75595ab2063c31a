import { setTimeout as wait } from "node:timers/promises";
import { config } from "#lib/platform/config";
import { guardedFetch } from "#lib/platform/outbound/index";
import { hourMs, minuteMs } from "#lib/platform/time";
import { version } from "#lib/platform/version";
import { announceChanges } from "#lib/server/notifications/index";
import { HostGate, RobotsCache, robotsToken } from "#lib/tracking/fetching/index";
import {
  countDue,
  findDueIds,
  findDueVendors,
  findVendorsToFetch,
  recordAbandonedFetch,
  sourceOf,
  type TrackVendorsContext,
  trackVendors,
  type VendorSource,
} from "#lib/tracking/index";
import { dispatchMissedAnalyses } from "./dispatch-analyses";
import { type FetchJob, FetchQueue } from "./fetch-queue";
import type { CronJob, RunContext, RunSummary } from "./job";
import { analysisContext, createDeliveryStarter } from "./pipeline-context";
import { deadFetches, hasWaitingWork, openQueues, type Queues, TakenJobs } from "./queue/index";

/** Vendors fetched concurrently, unless a worker's option says otherwise. */
const defaultConcurrency = 32;
/** Due vendors of which one without a job shows that there is work; other workers have the jobs of the rest. */
const checkedCount = 100;
/** Most fetches recorded as failed at a time because they ended their process. */
const deadCount = 100;

/** Returns the `User-Agent`: the token that robots.txt files match, and the URL of a page about the bot. */
function userAgentOf(origin: string): string {
  const { BASE_URL = origin } = config();
  return `${robotsToken}/${version} (+${BASE_URL.replace(/\/$/, "")}/docs/bot)`;
}

function trackContext(context: RunContext): TrackVendorsContext & { settled: () => Promise<void> } {
  const { origin, siteUrls: _siteUrls, ...shared } = context;
  const { database, clock, ids, log } = context;
  const starter = createDeliveryStarter(context);
  const isRealtime = config().ANALYSIS_MODE === "realtime";
  return {
    ...shared,
    fetch: guardedFetch,
    userAgent: userAgentOf(origin),
    random: Math.random,
    robots: new RobotsCache({ database, clock, log }),
    hosts: new HostGate({ database, ids, log }),
    sleep: (waitMs, signal) => wait(waitMs, undefined, { signal }),
    intervalMs: config().FETCH_INTERVAL_HOURS * hourMs,
    maxIntervalMs: config().MAX_FETCH_INTERVAL_HOURS * hourMs,
    announceChanges,
    ...(isRealtime && { analysis: analysisContext(context, starter) }),
    settled: () => starter.settled(),
  };
}

/** Records a failed fetch for vendors whose file ended the process each time, so that they wait as after other failures. */
async function recordDeadFetches({ boss }: Queues, context: TrackVendorsContext): Promise<void> {
  const jobs = await boss.fetch<FetchJob>(deadFetches, { batchSize: deadCount });
  const vendors = await findDueVendors(
    context.database,
    jobs.map(({ data }) => data.vendorId),
    context.clock.now(),
  );
  await Promise.all(vendors.map((vendor) => recordAbandonedFetch(context, vendor)));
  if (jobs.length > 0) await boss.complete(deadFetches, jobs);
}

async function fetchDue(given: RunContext): Promise<RunSummary> {
  const { database, clock, concurrency = defaultConcurrency } = given;
  const context = { ...given, concurrency };
  const startedAt = clock.now();
  const tracking = trackContext(context);
  const queues = await openQueues(context);
  const taken = new TakenJobs<FetchJob>(queues, "fetch", context);
  const source = new FetchQueue(queues, taken, context, {
    onRetry: async (ids) => {
      if (tracking.analysis) await dispatchMissedAnalyses(queues, database, ids);
    },
    onTaken: (vendors) => tracking.robots.preload(vendors.map(({ llmsTxtUrl }) => new URL(llmsTxtUrl).origin)),
  });
  try {
    // What processes that ended have stored.
    await announceChanges(database);
    await recordDeadFetches(queues, tracking);
    const summary = await trackVendors(tracking, source, concurrency);
    await tracking.settled();
    return { ...summary, left: await countDue(database, startedAt) };
  } finally {
    source.close();
    await tracking.robots.flush();
    await taken.close();
    await queues.close();
  }
}

/** Returns work of the job that fetches the named vendors, whether they are due or not. */
export function fetchVendorsWork(
  slugs: readonly string[],
  onOutcome: VendorSource["finish"],
): (context: RunContext) => Promise<RunSummary> {
  return async (context) => {
    const tracking = trackContext(context);
    const vendors = await findVendorsToFetch(context.database, slugs);
    const summary = await trackVendors(tracking, sourceOf(vendors, onOutcome), defaultConcurrency);
    await tracking.robots.flush();
    await tracking.settled();
    return summary;
  };
}

export const fetchVendorsJob: CronJob = {
  name: "fetch-vendors",
  description: "fetches the vendors that are due, and stores new versions",
  everyMs: hourMs,
  budgetMs: 4 * minuteMs,
  callsInternet: true,
  queues: ["fetch"],
  run: fetchDue,
  countWork: ({ changed = 0, unchanged = 0, failed = 0 }) => ({ done: changed + unchanged, failed }),
  hasWork: async ({ database, clock }) => {
    const ids = await findDueIds(database, clock.now(), checkedCount);
    return hasWaitingWork(database, "fetch", ids);
  },
};
