import { getFleet, memberOrigin, type Site, type SiteUrls, sites } from "#lib/replay/sites/index";
import { verifyFleetJob } from "./jobs/verify-fleet-job";
import { findLatestRuns } from "./store";

type FleetHealthContext = Parameters<typeof getFleet>[0] & { database: Parameters<typeof findLatestRuns>[0] };

export type MemberHealth = {
  slug: string;
  name: string;
  url: string;
  /** What the last check found; unchecked before the first one. The site that answers is live. */
  state: "live" | "down" | "unchecked";
};

/** The members that have an address here, and when they were last checked: null before the first time. */
export type FleetHealth = { checkedAt: Date | null; members: MemberHealth[] };

function addressOf(
  site: Site,
  { site: current, origin, siteUrls }: { site: Site; origin: string; siteUrls: SiteUrls },
) {
  return memberOrigin(site, current, origin, siteUrls);
}

/** How the sites of the family are, by the last run of the job that asks them. */
export async function getFleetHealth(context: FleetHealthContext): Promise<FleetHealth> {
  const [fleet, runs] = await Promise.all([getFleet(context), findLatestRuns(context.database, [verifyFleetJob.name])]);
  const checkedAt = runs[0]?.startedAt ?? null;
  const live = new Set(fleet.members.map(({ slug }) => slug));
  const members = sites.flatMap((site): MemberHealth[] => {
    const url = addressOf(site, context);
    if (!url) return [];
    const found = live.has(site.slug) ? (checkedAt ? "live" : "unchecked") : "down";
    const state = site.slug === context.site.slug ? "live" : found;
    return [{ slug: site.slug, name: site.display_name, url, state }];
  });
  return { checkedAt, members };
}
