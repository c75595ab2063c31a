import { getFleet, memberOrigin, sites } from "#lib/replay/sites/index";
import { findLatestRuns } from "./store";
import { verifyFleetJob } from "./verify-fleet-job";

type FleetHealthContext = Parameters<typeof getFleet>[0] & { database: Parameters<typeof findLatestRuns>[0] };

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
export async function getFleetHealth(context: FleetHealthContext): Promise<FleetHealth> {
  const [fleet, runs] = await Promise.all([getFleet(context), findLatestRuns(context.database, [verifyFleetJob.name])]);
  const checkedAt = runs[0]?.startedAt ?? null;
  const live = new Set(fleet.members.map(({ slug }) => slug));
  const members = sites.flatMap((site): MemberHealth[] => {
    const url = memberOrigin(site, context.site, context.origin, context.siteUrls);
    if (!url) return [];
    const checked = live.has(site.slug) ? (checkedAt ? "live" : "unchecked") : "down";
    const state = site.slug === context.site.slug ? "live" : checked;
    return [{ slug: site.slug, name: site.display_name, url, state }];
  });
  return { checkedAt, members };
}
