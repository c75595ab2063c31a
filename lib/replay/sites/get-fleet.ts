import { memberOrigin, type Site, type SiteUrls, sites } from "#lib/contract/sites";
import type { Catalogue } from "#lib/replay/cassettes/index";
import { type Fleet, type FleetMember, surfacesOf } from "./schemas";
import { type FleetCheck, readFleetCheck } from "./store";

type FleetContext = {
  site: Site;
  origin: string;
  catalogue: Catalogue;
  siteUrls: SiteUrls;
  /** Date of the build, `YYYY-MM-DD`: the value of `last_verified` before the first check. */
  buildDate: string;
};

function isListed(site: Site, current: Site, check: FleetCheck): boolean {
  return site.slug === current.slug || !check.downSlugs.has(site.slug);
}

/** Returns the fleet manifest as seen from the current site: members, URLs and cassette counts. */
export async function getFleet({
  site: current,
  origin,
  catalogue,
  siteUrls,
  buildDate,
}: FleetContext): Promise<Fleet> {
  const [cassettes, check] = await Promise.all([catalogue.list(), readFleetCheck()]);
  const members = sites.flatMap((site): FleetMember[] => {
    const url = memberOrigin(site, current, origin, siteUrls);
    if (!url || !isListed(site, current, check)) return [];
    const cassette_count = cassettes.filter(({ vertical }) => vertical === site.vertical).length;
    return [{ ...site, url, cassette_count, surfaces: surfacesOf(url) }];
  });
  return {
    chassis: memberOrigin(sites[0], current, origin, siteUrls) ?? origin,
    count: members.length,
    current_site: { slug: current.slug, vertical: current.vertical, url: origin },
    members,
    last_verified: check.checkedAt?.toISOString().slice(0, 10) ?? buildDate,
  };
}
