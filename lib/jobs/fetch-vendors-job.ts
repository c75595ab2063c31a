import { setTimeout as wait } from "node:timers/promises";
import { config } from "#lib/platform/config";
import { guardedFetch } from "#lib/platform/outbound/index";
import { hourMs, minuteMs } from "#lib/platform/time";
import { version } from "#lib/platform/version";
import { announceVendorChange } from "#lib/server/notifications/index";
import { type TrackVendorsOptions, trackVendors } from "#lib/tracking/index";
import { robotsToken } from "#lib/tracking/snapshots/index";
import type { CronJob, RunContext, RunSummary } from "./job";
import { analysisContext, createDeliveryStarter } from "./pipeline-context";

/** Returns the `User-Agent`: the token that robots.txt files match, and the URL of a page about the bot. */
function userAgentOf(origin: string): string {
  const { BASE_URL = origin } = config();
  return `${robotsToken}/${version} (+${BASE_URL.replace(/\/$/, "")}/docs/bot)`;
}

/** Returns the work of the job. With `slugs`, fetches only those vendors, whether they are due or not. */
export function fetchVendorsWork(options: TrackVendorsOptions = {}): (context: RunContext) => Promise<RunSummary> {
  return async (context) => {
    const { origin, siteUrls: _siteUrls, ...shared } = context;
    const intervalMs = config().FETCH_INTERVAL_HOURS * hourMs;
    const sleep = (waitMs: number, signal?: AbortSignal) => wait(waitMs, undefined, { signal });
    const starter = createDeliveryStarter(context);
    const analysis = analysisContext(context, starter);
    const network = { fetch: guardedFetch, userAgent: userAgentOf(origin), sleep, random: Math.random };
    const isRealtime = config().ANALYSIS_MODE === "realtime";
    const tracking = { announceChange: announceVendorChange, ...(isRealtime && { analysis }) };
    const summary = await trackVendors({ ...shared, ...network, intervalMs, ...tracking }, options);
    await starter.settled();
    return summary;
  };
}

export const fetchVendorsJob: CronJob = {
  name: "fetch-vendors",
  description: "fetches the vendors that are due, and stores new versions",
  everyMs: hourMs,
  budgetMs: 4 * minuteMs,
  callsInternet: true,
  run: fetchVendorsWork(),
};
