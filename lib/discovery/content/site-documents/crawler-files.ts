import type { Clock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { dayMs } from "#lib/platform/time";
import { loadPages, type Page, pagePath } from "../pages";
import type { SiteContext } from "./site-context";

type Origin = Pick<SiteContext, "origin">;

/** Most URLs in one sitemap, by its protocol. */
const maxUrlCount = 50_000;

/** Paths that change state, or show a purchase to one browser. */
const disallowedPaths = [
  "/api/cron/",
  "/api/webhooks/",
  "/api/v1/keys/",
  "/api/v1/payment/",
  "/api/v1/webhooks",
  "/welcome",
];

/** Returns the site's /robots.txt. */
export function robotsTxt({ origin }: Origin): string {
  const rules = ["User-agent: *", "Allow: /", ...disallowedPaths.map((path) => `Disallow: ${path}`)];
  return `${rules.join("\n")}\n\nSitemap: ${origin}/sitemap.xml\n`;
}

/** A page of the sitemap; `lastModified` is a date, absent if unknown. */
type SitemapEntry = { url: string; lastModified?: string | undefined };

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] as string);
}

/** Returns a sitemap (sitemaps.org, 0.9) of at most 50,000 URLs. */
export function writeSitemap(entries: readonly SitemapEntry[]): string {
  const urls = entries.slice(0, maxUrlCount).map(({ url, lastModified }) => {
    const date = lastModified === undefined ? "" : `<lastmod>${lastModified}</lastmod>`;
    return `<url><loc>${escapeXml(new URL(url).href)}</loc>${date}</url>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`;
}

/** Returns the date in the name of a decision record; other pages have no known date. */
function dateOf({ slug }: Page): string | undefined {
  return /^decisions\/(\d{4}-\d{2}-\d{2})-/.exec(slug)?.[1];
}

/** Returns the site's /sitemap.xml: all HTML pages. `otherPaths` are the pages outside the docs. */
export async function getSitemap({ origin }: Origin, otherPaths: readonly string[]): Promise<string> {
  const pages = await loadPages();
  return writeSitemap([
    { url: `${origin}/` },
    ...pages.map((page) => ({ url: `${origin}${pagePath(page)}`, lastModified: dateOf(page) })),
    ...otherPaths.map((path) => ({ url: `${origin}${path}` })),
  ]);
}

type SecurityContext = Pick<SiteContext, "origin"> & { clock: Clock };

/** How long the file is valid, in days; RFC 9116 recommends less than a year. */
const validityDays = 180;

/** Returns the expiry at midnight UTC, so that the file stays the same all day. */
function expiryOf(now: Date): string {
  const day = Math.floor(now.getTime() / dayMs);
  return new Date((day + validityDays) * dayMs).toISOString();
}

/** Returns the site's /.well-known/security.txt (RFC 9116). Without a configured contact it names the security page. */
export function securityTxt(
  { origin, clock }: SecurityContext,
  { contact = config().SECURITY_CONTACT }: { contact?: string | undefined } = {},
): string {
  const policy = `${origin}/docs/security`;
  const fields = {
    Contact: contact ?? policy,
    Expires: expiryOf(clock.now()),
    "Preferred-Languages": "en",
    Canonical: `${origin}/.well-known/security.txt`,
    Policy: policy,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `${lines.join("\n")}\n`;
}
