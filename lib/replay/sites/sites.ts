import type { Vertical } from "#lib/replay/cassettes/index";

/** What a site is, apart from its address, which depends on where it runs. */
export type Site = { slug: string; vertical: Vertical; display_name: string; tagline: string };

/** The family. The first one is the default, served where no other is named. */
export const sites: readonly [Site, ...Site[]] = [
  {
    slug: "developer-tools",
    vertical: "developer-tools",
    display_name: "Tapedeck Developer Tools",
    tagline: "LLM response replays for people who build with code.",
  },
  {
    slug: "legal",
    vertical: "legal",
    display_name: "Tapedeck Legal",
    tagline: "LLM response replays on contracts, clauses and duties.",
  },
  {
    slug: "finance",
    vertical: "finance",
    display_name: "Tapedeck Finance",
    tagline: "LLM response replays on statements, risk and cash.",
  },
  {
    slug: "small-business",
    vertical: "small-business",
    display_name: "Tapedeck Small Business",
    tagline: "LLM response replays for shops, studios and crews.",
  },
];

/** Where the family's sites are reached, from SITE_URLS: site slug to origin. */
export type SiteUrls = Readonly<Record<string, string>>;

const localhostSuffix = ".localhost";

function siteOfHostname(hostname: string, siteUrls: SiteUrls): Site | undefined {
  if (hostname.endsWith(localhostSuffix)) {
    const slug = hostname.slice(0, -localhostSuffix.length);
    return sites.find((site) => site.slug === slug);
  }
  return sites.find((site) => siteUrls[site.slug] && new URL(siteUrls[site.slug] as string).hostname === hostname);
}

/** The site of a request: by its host name, else the one that SITE names, else the first. */
export function currentSite(
  hostname: string,
  { siteUrls = {}, siteSlug = "" }: { siteUrls?: SiteUrls; siteSlug?: string },
): Site {
  return siteOfHostname(hostname, siteUrls) ?? sites.find(({ slug }) => slug === siteSlug) ?? sites[0];
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" || hostname.endsWith(localhostSuffix) || hostname === "127.0.0.1" || hostname === "[::1]"
  );
}

/**
 * Origin of a member as seen from a request: the request's own origin for the current site, the configured one
 * for the others, `http://<slug>.localhost:<port>` on this machine; undefined where nobody said where it is.
 */
export function memberOrigin(site: Site, current: Site, origin: string, siteUrls: SiteUrls): string | undefined {
  if (site.slug === current.slug) return origin;
  const configured = siteUrls[site.slug];
  if (configured) return configured;
  const { protocol, hostname, port } = new URL(origin);
  if (!isLoopback(hostname)) return undefined;
  return `${protocol}//${site.slug}${localhostSuffix}${port ? `:${port}` : ""}`;
}
