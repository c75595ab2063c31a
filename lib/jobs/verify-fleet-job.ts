import { currentSite } from "#lib/contract/sites";
import { config } from "#lib/platform/config";
import { dayMs, minuteMs } from "#lib/platform/time";
import { verifyFleet } from "#lib/replay/sites/index";
import type { CronJob } from "./job";

export const verifyFleetJob: CronJob = {
  name: "verify-fleet",
  description: "checks the health of every site of the fleet; the manifest leaves out those that fail",
  everyMs: dayMs,
  budgetMs: minuteMs,
  callsInternet: false,
  run: async ({ origin, siteUrls, clock, database }) => {
    const site = currentSite(new URL(origin).hostname, { siteUrls, siteSlug: config().SITE });
    const checks = await verifyFleet({ origin, site, siteUrls, clock, database });
    const down = checks.filter(({ status }) => status === "down").length;
    return { checked: checks.length, down };
  },
};
