import { setTimeout as wait } from "node:timers/promises";
import { config } from "#lib/platform/config";
import { guardedFetch } from "#lib/platform/outbound/index";
import { hourMs } from "#lib/platform/time";
import { version } from "#lib/platform/version";
import { announceVendorChange } from "#lib/server/notifications/index";
import { type TrackVendorsOptions, trackVendors } from "#lib/tracking/index";
import { robotsToken } from "#lib/tracking/snapshots/index";
import type { CronJob, RunContext, RunSummary } from "../job";
import { analysisContext } from "./analyze-changes-job";
import { createDeliveryStarter } from "./delivery-starter";

/** The whole `User-Agent`: the token that robots.txt files know, and a page that says who asks. */
function userAgentAt(origin: string): string {
  const { BASE_URL = origin } = config();
  return `${robotsToken}/${version} (+${BASE_URL.replace(/\/$/, "")}/docs/bot)`;
}

/** The work of the job; with `slugs` for those vendors alone, due or not. */
export function fetchVendorsWork(options: TrackVendorsOptions = {}): (context: RunContext) => Promise<RunSummary> {
  return async (context) => {
    const { origin, siteUrls: _siteUrls, ...shared } = context;
    const intervalMs = config().FETCH_INTERVAL_HOURS * hourMs;
    const sleep = (waitMs: number, signal?: AbortSignal) => wait(waitMs, undefined, { signal });
    const starter = createDeliveryStarter(context);
    const analysis = analysisContext(context, starter);

    const outside = { fetch: guardedFetch, userAgent: userAgentAt(origin), sleep, random: Math.random };
    const isRealtime = config().ANALYSIS_MODE === "realtime";
    const summary = await trackVendors(
      { ...shared, ...outside, intervalMs, announceChange: announceVendorChange, ...(isRealtime && { analysis }) },
      options,
    );
    await starter.settled();
    return summary;
  };
}

export const fetchVendorsJob: CronJob = {
  name: "fetch-vendors",
  description: "fetches the vendors that are due, and keeps what changed",
  everyMs: hourMs,
  budgetMs: 4 * 60 * 1_000,
  callsInternet: true,
  run: fetchVendorsWork(),
};
