import { type Catalogue, catalogue } from "#lib/cassettes/index";
import { type Clock, systemClock } from "#lib/platform/clock";
import { buildDate, config } from "#lib/platform/config";
import { type Log, log } from "#lib/platform/log";
import { currentSite, type Site, type SiteUrls } from "#lib/sites/index";
import { requestOrigin } from "./origin";
import type { RequestView } from "./request-view";

/** What every verb gets beside its input. */
export type RequestContext = {
  requestId: string;
  /** Origin that the request came to, without a trailing slash. */
  origin: string;
  site: Site;
  siteUrls: SiteUrls;
  buildDate: string;
  clock: Clock;
  catalogue: Catalogue;
  log: Log;
};

export function requestContext(view: RequestView, requestId: string): RequestContext {
  const { BASE_URL, TRUST_PROXY, VERCEL, SITE, SITE_URLS = {} } = config();
  const trustProxy = TRUST_PROXY ? TRUST_PROXY === "on" : Boolean(VERCEL);
  const url = requestOrigin(view, { baseUrl: BASE_URL, trustProxy });
  return {
    requestId,
    origin: url.origin,
    site: currentSite(url.hostname, { siteUrls: SITE_URLS, siteSlug: SITE }),
    siteUrls: SITE_URLS,
    buildDate,
    clock: systemClock,
    catalogue: catalogue(),
    log: log(),
  };
}
