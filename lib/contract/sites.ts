import { isLoopbackHost } from "#lib/platform/loopback";
import type { SiteSlug } from "#lib/platform/variables";

/** A site without its URL, which depends on the deployment. */
export type Site = { slug: SiteSlug; vertical: SiteSlug; display_name: string; tagline: string };

/** The sites of the fleet. The first one is the default. */
export const sites: readonly [Site, ...Site[]] = [
  {
    slug: "developer-tools",
    vertical: "developer-tools",
    display_name: "Tapedeck Developer Tools",
    tagline: "Test code that calls LLMs, without calling them.",
  },
  {
    slug: "legal",
    vertical: "legal",
    display_name: "Tapedeck Legal",
    tagline: "Test apps that review contracts, without calling an LLM.",
  },
  {
    slug: "finance",
    vertical: "finance",
    display_name: "Tapedeck Finance",
    tagline: "Test apps that read statements and risk, without calling an LLM.",
  },
  {
    slug: "small-business",
    vertical: "small-business",
    display_name: "Tapedeck Small Business",
    tagline: "Test apps for shops, studios and crews, without calling an LLM.",
  },
];

/** Origins of the sites by slug, from SITE_URLS. */
export type SiteUrls = Readonly<Record<string, string>>;

const localhostSuffix = ".localhost";

/** Returns the site that a host name names; undefined if it names none. */
export function siteOfHostname(hostname: string, siteUrls: SiteUrls): Site | undefined {
  if (hostname.endsWith(localhostSuffix)) {
    const slug = hostname.slice(0, -localhostSuffix.length);
    return sites.find((site) => site.slug === slug);
  }
  return sites.find((site) => siteUrls[site.slug] && new URL(siteUrls[site.slug] as string).hostname === hostname);
}

/** Returns the site of a request: by host name, else the one named by SITE, else the first. */
export function currentSite(
  hostname: string,
  { siteUrls = {}, siteSlug = "" }: { siteUrls?: SiteUrls; siteSlug?: string },
): Site {
  return siteOfHostname(hostname, siteUrls) ?? sites.find(({ slug }) => slug === siteSlug) ?? sites[0];
}

/**
 * Returns the origin of a member as seen from a request: the request's origin for the current site, the configured one
 * for the others, or `http://<slug>.localhost:<port>` on a loopback host; undefined if it is unknown.
 */
export function memberOrigin(site: Site, current: Site, origin: string, siteUrls: SiteUrls): string | undefined {
  if (site.slug === current.slug) return origin;
  const configured = siteUrls[site.slug];
  if (configured) return configured;
  const { protocol, hostname, port } = new URL(origin);
  if (!isLoopbackHost(hostname)) return undefined;
  return `${protocol}//${site.slug}${localhostSuffix}${port ? `:${port}` : ""}`;
}
