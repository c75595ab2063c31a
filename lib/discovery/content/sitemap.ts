import type { SiteContext } from "#lib/discovery/documents/index";
import { escapeMarkup } from "#lib/platform/escape-markup";
import { loadPages, type Page, pagePath } from "./pages";

/** Most URLs in one sitemap, by its protocol. */
const maxUrlCount = 50_000;

/** A page of the sitemap; `lastModified` is a date, absent if unknown. */
type SitemapEntry = { url: string; lastModified?: string | undefined };

/** Returns a sitemap (sitemaps.org, 0.9) of at most 50,000 URLs. */
export function writeSitemap(entries: readonly SitemapEntry[]): string {
  const urls = entries.slice(0, maxUrlCount).map(({ url, lastModified }) => {
    const date = lastModified === undefined ? "" : `<lastmod>${lastModified}</lastmod>`;
    return `<url><loc>${escapeMarkup(new URL(url).href)}</loc>${date}</url>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`;
}

/** Returns the date in the name of a decision record; other pages have no known date. */
function dateOf({ slug }: Page): string | undefined {
  return /^decisions\/(\d{4}-\d{2}-\d{2})-/.exec(slug)?.[1];
}

/** Returns the site's /sitemap.xml: all HTML pages. `otherPaths` are the pages outside the docs. */
export async function getSitemap(
  { origin }: Pick<SiteContext, "origin">,
  otherPaths: readonly string[],
): Promise<string> {
  const pages = await loadPages();
  return writeSitemap([
    { url: `${origin}/` },
    ...pages.map((page) => ({ url: `${origin}${pagePath(page)}`, lastModified: dateOf(page) })),
    ...otherPaths.map((path) => ({ url: `${origin}${path}` })),
  ]);
}
